// Two blocks copy into each other and exit while the copies are in flight. Its neighbour is clean/multicast_ring.cu.
// says: No thread waited for the bytes. They may arrive when the shared memory already belongs to another block.
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__device__ alignas(128) unsigned in[64];

__global__ void __cluster_dims__(2) exchange() {
    __shared__ alignas(128) unsigned tile[2][32];
    __shared__ alignas(8) uint64_t full;
    auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    }
    cluster.sync();
    const unsigned rank = cluster.block_rank(), other = rank ^ 1;
    if (threadIdx.x == 0)
        for (unsigned to : {rank, other})
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, cluster.map_shared_rank(tile[rank], to),
            // error: exit-before-completion
                               in + 32 * rank, sizeof tile[rank], cluster.map_shared_rank(&full, to));
}

int main() {
    exchange<<<2, 32>>>();
    return cudaDeviceSynchronize();
}
