__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__global__ void twice(const int* in, int* out) {
    __shared__ alignas(16) int tile[128];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full)) : "memory");
        unsigned long long policy;
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(shared_address(&full)) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                     "[%0], [%1], 512, [%2], %3;" ::"r"(shared_address(tile)),
                     "l"(in), "r"(shared_address(&full)), "l"(policy)
                     : "memory");
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], 512;" ::"l"(in + 128) : "memory");
    }
    __syncthreads();
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(&full))
                     : "memory");
    out[threadIdx.x] = 2 * tile[127 - threadIdx.x];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 384 * sizeof(int));
    cudaMemset(memory, 0, 384 * sizeof(int));
    twice<<<1, 128>>>(memory, memory + 256);
    cudaDeviceSynchronize();
}
