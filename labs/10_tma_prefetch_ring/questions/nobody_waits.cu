#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void twice(const int* in, int* out) {
    __shared__ alignas(16) int tile[3][128];
    __shared__ uint64_t full[3];
    if (threadIdx.x < 3)
        ptx::mbarrier_init(&full[threadIdx.x], 1);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 0; k < 3; ++k) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[k], 512);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[k], in + 128 * k, 512, &full[k]);
        }
    for (int k = 0; k < 2; ++k) {
        while (!ptx::mbarrier_try_wait_parity(&full[k], 0))
            ;
        out[128 * k + threadIdx.x] = 2 * tile[k][threadIdx.x];
    }
}

int main() {
    int* memory;
    cudaMalloc(&memory, 640 * sizeof(int));
    cudaMemset(memory, 0, 640 * sizeof(int));
    twice<<<1, 128>>>(memory, memory + 384);
    cudaDeviceSynchronize();
}
