// D = A * transpose of B. Two blocks compute 8 x 8 elements each and share B: each loads one half of a tile for both.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int stages = 3, columns = 16, consumers = 64;

struct Ring {
    alignas(128) float a[stages][8][columns], b[stages][8][columns];
    uint64_t full[stages], empty[stages];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

// Arrives on the barrier at the same address in the block with this rank.
__device__ void arrive(uint64_t* barrier, int rank) {
    uint64_t* there = cooperative_groups::this_cluster().map_shared_rank(barrier, rank);
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, there);
}

__global__ void __cluster_dims__(2)
    multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* d, int steps) {
    __shared__ Ring ring;
    const int t = threadIdx.x, rank = ptx::get_sreg_cluster_ctarank();
    if (t == 0) {
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&ring.full[s], 1);
            ptx::mbarrier_init(&ring.empty[s], COUNT);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
#if READY == cluster
    cooperative_groups::this_cluster().sync();
#else
    __syncthreads();
#endif
    if (t == consumers) {
        for (int step = 0; step < steps; ++step) {
            const int s = step % stages;
            const int32_t at_a[] = {columns * step, 8 * rank}, at_b[] = {columns * step, 4 * rank};
            wait(&ring.empty[s], step / stages % 2 ^ 1);
#if EXPECT == arrives
            const int bytes = sizeof ring.a[s] + sizeof ring.b[s];
#else
            const int bytes = sizeof ring.a[s] + sizeof ring.b[s] / 2;
#endif
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &ring.full[s], bytes);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.a[s], &a, at_a, &ring.full[s]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring.b[s][4 * rank], &b, at_b, &ring.full[s], uint16_t{3});
        }
    } else if (t < consumers) {
        const int row = t / 8, column = t % 8;
        const int turn = column + row / 2 % 2 * 8; // the lanes of a warp begin in different banks
        float sum = 0;
        for (int step = 0; step < steps; ++step) {
            const int s = step % stages;
            wait(&ring.full[s], step / stages % 2);
            for (int k = 0; k < columns; ++k)
                sum += ring.a[s][row][(k + turn) % columns] * ring.b[s][column][(k + turn) % columns];
            ptx::fence_proxy_async(ptx::space_shared); // wgmma would read through the async proxy, and need no fence
            __syncwarp();
#if RELEASE == both
            if (t % 32 < 2)
                arrive(&ring.empty[s], t % 32);
#elif RELEASE == own
            if (t % 32 == 0)
                arrive(&ring.empty[s], rank);
#else
            if (t % 32 == 0)
                arrive(&ring.empty[s], 1 - rank);
#endif
        }
        d[(8 * rank + row) * 8 + column] = sum;
    }
#if LAST == cluster
    cooperative_groups::this_cluster().sync();
#endif
}
