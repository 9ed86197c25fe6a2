#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void twice(const int* in, int* out) {
    __shared__ alignas(16) int tile[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &full);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    out[threadIdx.x] = 2 * tile[127 - threadIdx.x];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 256 * sizeof(int));
    cudaMemset(memory, 0, 256 * sizeof(int));
    twice<<<1, 128>>>(memory, memory + 128);
    cudaDeviceSynchronize();
}
