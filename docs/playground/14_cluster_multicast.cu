// One block of the cluster loads a tile for all of them.
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int threads = 128;

__global__ void __cluster_dims__(BLOCKS) spread(const float* in, float* out) {
    __shared__ alignas(128) float tile[threads];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    }
#if READY == cluster
    cooperative_groups::this_cluster().sync(); // the barriers of all blocks have been initialised
#else
    __syncthreads();
#endif
    if (t == 0 && ptx::get_sreg_cluster_ctarank() == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &full, uint16_t((1 << RECEIVERS) - 1));
#if WAIT == yes
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
#endif
    out[blockIdx.x * threads + t] = 2 * tile[t];
#if LAST == cluster
    cooperative_groups::this_cluster().sync();
#endif
}
