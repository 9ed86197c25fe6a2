#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void load(const int* in, int* out) {
    __shared__ alignas(16) int tile[256];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 2048);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 1024, &full);
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in + 256), "r"(1024) : "memory");
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 768 * sizeof(int));
    cudaMemset(memory, 0, 768 * sizeof(int));
    load<<<1, 256>>>(memory, memory + 512);
    cudaDeviceSynchronize();
}
