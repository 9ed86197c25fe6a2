// A ring of bulk copies: a producer thread keeps stages filled, a consumer warp reads them.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int stages = STAGES;

__device__ void wait(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

__global__ void ring(const float* in, float* out, int tiles) {
    __shared__ alignas(16) float stage[stages][128];
    __shared__ uint64_t full[stages], empty[stages];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], COUNT);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < tiles; ++k) {
            const int s = k % stages;
#if REFILL == waits
            wait(&empty[s], k / stages % 2 ^ 1);
#endif
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof stage[s]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[s], in + 128 * k, sizeof stage[s], &full[s]);
        }
    } else if (threadIdx.x >= 32) {
        for (int k = 0; k < tiles; ++k) {
            const int s = k % stages;
#if LOAD == waits
            wait(&full[s], k / stages % 2);
#endif
            float sum = 0;
            for (int i = 0; i < 4; ++i)
                sum += stage[s][4 * lane + i];
            ptx::mbarrier_arrive(&empty[s]);
            out[32 * k + lane] = sum;
        }
    }
}
