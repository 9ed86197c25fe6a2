// The thread that invalidates an mbarrier has waited for the copies of other warps, and of the other block of the
// cluster: their threads armed it, or issued the copies, before that phase completed.
#include <cooperative_groups.h>
#include <cuda/ptx>
#include <utility>

namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;

constexpr int tile_size = 64;
__device__ alignas(16) int in[tile_size], out[tile_size], shared_out[2][tile_size];

__global__ void one_block() {
    __shared__ alignas(128) int tile[tile_size];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&bar, 1);
    __syncthreads();
    if (threadIdx.x == 32) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &bar);
    }
    if (threadIdx.x == 0) {
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
        }
        for (int i = 0; i < tile_size; ++i)
            out[i] = tile[i];
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(unsigned(__cvta_generic_to_shared(&bar))) : "memory");
    }
}

__global__ void __cluster_dims__(2) multicast() {
    __shared__ alignas(128) int tile[tile_size];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    const unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
    if (threadIdx.x == 32 && rank == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &bar, uint16_t(3));
    if (threadIdx.x == 0) {
        while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {
        }
        for (int i = 0; i < tile_size; ++i)
            shared_out[rank][i] = tile[i];
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(unsigned(__cvta_generic_to_shared(&bar))) : "memory");
    }
}

int main() {
    one_block<<<1, 64>>>();
    multicast<<<2, 64>>>();
    return cudaDeviceSynchronize();
}
