#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void add_rows(const int* in, int* out) {
    __shared__ alignas(16) int rows[2][64];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, rows[0], in, sizeof rows[0], &full);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, rows[1], in + 64, sizeof rows[1], &full);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof rows[0]);
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    out[threadIdx.x] = rows[0][threadIdx.x] + rows[1][threadIdx.x];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 192 * sizeof(int));
    cudaMemset(memory, 0, 192 * sizeof(int));
    add_rows<<<1, 64>>>(memory, memory + 128);
    cudaDeviceSynchronize();
}
