// A ring between two warps: the first fills stages, the second reads them. Each stage has two barriers.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int stages = STAGES;

__device__ void wait(uint64_t* barrier, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
}

__global__ void ring(const float* in, float* out, int tiles) {
    __shared__ float stage[stages][32];
    __shared__ uint64_t full[stages], empty[stages];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&full[s], 32);
            ptx::mbarrier_init(&empty[s], 32);
        }
#if INIT == barrier
    __syncthreads();
#endif
    if (threadIdx.x < 32) {
        for (int k = 0; k < tiles; ++k) {
            const int s = k % stages, lap = k / stages;
#if FREE == opposite
            wait(&empty[s], (lap + 1) % 2);
#elif FREE == same
            wait(&empty[s], lap % 2);
#endif
            stage[s][lane] = in[32 * k + lane];
            ptx::mbarrier_arrive(&full[s]);
        }
    } else {
        for (int k = 0; k < tiles; ++k) {
            const int s = k % stages, lap = k / stages;
#if PARITY == lap
            wait(&full[s], lap % 2);
#elif PARITY == tile
            wait(&full[s], k % 2);
#else
            wait(&full[s], 0);
#endif
#if RELEASE == early
            ptx::mbarrier_arrive(&empty[s]);
#endif
            const float x = stage[s][31 - lane];
#if RELEASE == late
            ptx::mbarrier_arrive(&empty[s]);
#endif
            out[32 * k + lane] = 2 * x;
        }
    }
}
