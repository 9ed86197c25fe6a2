// Each thread announces all bytes, but a single copy delivers them once.
__device__ alignas(16) int in[64];
__device__ int out[64];

__global__ void load() {
    __shared__ alignas(16) int tile[64];
    __shared__ unsigned long long full;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(barrier) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
    // error: deadlock
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to),
                     "l"(in), "r"(barrier) : "memory");
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier) : "memory"); // other
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    load<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
