#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) share(const int* in, int* out) {
    __shared__ alignas(128) int values[32];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    if (threadIdx.x == 0 && cluster.block_rank() == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 2 * sizeof values);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, values, in, sizeof values, &full, 0b11);
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    out[blockIdx.x * 32 + threadIdx.x] = values[threadIdx.x];
    cluster.sync();
}

int main() {
    int* memory;
    cudaMalloc(&memory, 96 * sizeof(int));
    cudaMemset(memory, 0, 96 * sizeof(int));
    share<<<2, 32>>>(memory, memory + 32);
    cudaDeviceSynchronize();
}
