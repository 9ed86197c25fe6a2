// The ring between two blocks of a cluster: each block loads half of each tile and multicasts it to both, and a stage
// is loaded again when the threads of both have released it.
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

constexpr uint32_t STAGES = 4, TILE = 1024, HALF = TILE / 2;

extern "C" __global__ void bench(uint32_t* data, uint32_t n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const cg::cluster_group cluster = cg::this_cluster();
    const uint32_t t = threadIdx.x, rank = cluster.block_rank(), warps = blockDim.x / 32 - 1;
    if (t == 0) {
        for (uint32_t s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 2 * warps);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cluster.sync();
    const uint32_t* in = data + blockIdx.x / 2 * 64 * TILE + rank * HALF;
    if (t < 32) {
        for (uint32_t k = 0; t == 0 && k < n; ++k) {
            const uint32_t s = k % STAGES;
            while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &empty[s], ~(k / STAGES) & 1)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], TILE * 4);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[s] + rank * HALF, in + k % 64 * TILE, HALF * 4,
                               &full[s], uint16_t{3});
        }
    } else {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < n; ++k) {
            const uint32_t s = k % STAGES;
            while (!ptx::mbarrier_try_wait_parity(&full[s], k / STAGES & 1)) {
            }
            for (uint32_t j = t - 32; j < TILE; j += 32 * warps)
                sum = sum * 3 + ring[s][j];
            __syncwarp();
            if (t % 32 < 2)
                ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster,
                                     cluster.map_shared_rank(&empty[s], t % 32));
        }
        data[(8 * 64 + blockIdx.x) * TILE + t] = sum;
    }
    cluster.sync();
}
