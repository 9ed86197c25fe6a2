// cuda::ptx of CUDA 13.0 emits cp.async.mbarrier.arrive without a state space, with a 32-bit shared address.
__device__ alignas(16) int in[256], out[256];

__global__ void rotate() {
    __shared__ alignas(16) int tile[256];
    __shared__ unsigned long long bars[2];
    const unsigned bar = unsigned(__cvta_generic_to_shared(bars));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;\n mbarrier.init.shared.b64 [%0+8], 64;" ::"r"(bar) : "memory");
    __syncthreads();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(unsigned(__cvta_generic_to_shared(&tile[4 * threadIdx.x]))),
                 "l"(in + 4 * threadIdx.x)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.b64 [%0];" ::"r"(bar) : "memory");
    asm volatile("cp.async.mbarrier.arrive.b64 [%0];" ::"r"(bar + 8) : "memory"); // counts itself in
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar + 8) : "memory");
    for (unsigned which = 0; which < 2; ++which)
        for (unsigned done = 0; !done;)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(bar + 8 * which)
                         : "memory");
    for (int i = threadIdx.x; i < 256; i += 64)
        out[i] = tile[(i + 5) % 256];
}

int main() {
    rotate<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
