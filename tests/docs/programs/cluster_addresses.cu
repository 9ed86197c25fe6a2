// map_shared_rank and query_shared_rank; an ordinary store and st.async (STAS) into another block's shared memory.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(4) pass_on(int* out) {
    __shared__ int stored[32], sent[32];
    __shared__ alignas(8) uint64_t arrived;
    const cg::cluster_group cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&arrived, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived, sizeof sent);
    }
    cluster.sync(); // everybody's barrier is initialised

    int* const neighbour = cluster.map_shared_rank(stored, next);
    neighbour[threadIdx.x] = cluster.query_shared_rank(neighbour) == next ? int(100 * rank + threadIdx.x) : -1;
    ptx::st_async(cluster.map_shared_rank(&sent[threadIdx.x], next), int(1000 * rank + threadIdx.x),
                  cluster.map_shared_rank(&arrived, next));
    while (!ptx::mbarrier_try_wait_parity(&arrived, 0))
        ;
    cluster.sync(); // for the ordinary stores; and no block exits before
    out[blockIdx.x * 32 + threadIdx.x] = stored[threadIdx.x] + sent[threadIdx.x];
}

int main() {
    int *out, results[8 * 32];
    cudaMalloc(&out, sizeof results);
    pass_on<<<8, 32>>>(out);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < 8 * 32; ++i) {
        const int from = (i / 32 + 3) % 4;
        right = right && results[i] == 1100 * from + 2 * (i % 32);
    }
    std::puts(right ? "right" : "wrong");
    return !right;
}
