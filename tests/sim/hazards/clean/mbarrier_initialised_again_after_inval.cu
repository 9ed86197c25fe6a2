// An mbarrier counts the block's threads, is invalidated, and then counts one thread and the bytes of its copy.
__device__ alignas(16) int in[64];
__device__ int out[2][64];

__device__ void wait(unsigned barrier) {
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier) : "memory");
}

__global__ void phases() {
    __shared__ alignas(16) int tile[2][64];
    __shared__ unsigned long long object;
    const unsigned i = threadIdx.x;
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&object));
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile[1]));
    if (i == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(barrier) : "memory");
    __syncthreads();
    tile[0][i] = in[i];
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
    wait(barrier);
    out[0][i] = tile[0][63 - i];
    __syncthreads();
    if (i == 0) {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to),
                     "l"(in), "r"(barrier) : "memory");
    }
    __syncthreads();
    wait(barrier);
    out[1][i] = tile[1][63 - i];
}

int main() {
    phases<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
