// One thread loads a tile, all threads double it, one thread stores it.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int threads = 128;

__global__ void twice(const float* in, float* out) {
    __shared__ alignas(16) float tile[threads];
    __shared__ uint64_t full;
    const int t = threadIdx.x, first = blockIdx.x * threads;
    if (t == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + first, sizeof tile, &full);
#if BYTES == right
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
#elif BYTES == few
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile / 2);
#elif BYTES == many
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 2 * sizeof tile);
#else
        ptx::mbarrier_arrive(&full);
#endif
    }
    __syncthreads(); // the barrier has been initialised
#if WAIT == all
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
#elif WAIT == one
    if (t == 0)
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
        }
#endif
    tile[t] = 2 * tile[t];
#if FENCE == before
    ptx::fence_proxy_async(ptx::space_shared);
#endif
#if BARRIER == yes
    __syncthreads();
#endif
    if (t == 0) {
#if FENCE == after
        ptx::fence_proxy_async(ptx::space_shared);
#endif
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + first, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
#if STORED == read
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
#endif
    }
}
