// A warp-specialised ring: one elected lane fills stages with bulk copies, the other warps consume them.
#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr uint32_t STAGES = 4, TILE = 1024;

extern "C" __global__ void bench(uint32_t* data, uint32_t n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    const uint32_t t = threadIdx.x, consumers = blockDim.x - 32;
    if (t == 0)
        for (uint32_t s = 0; s < STAGES; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], consumers);
        }
    __syncthreads();
    const uint32_t* in = data + blockIdx.x * 64 * TILE;
    if (t < 32) {
        for (uint32_t k = 0; t == 0 && k < n; ++k) {
            const uint32_t s = k % STAGES;
            while (!ptx::mbarrier_try_wait_parity(&empty[s], ~(k / STAGES) & 1)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], TILE * 4);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[s], in + k % 64 * TILE, TILE * 4, &full[s]);
        }
        return;
    }
    uint32_t sum = 0;
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t s = k % STAGES;
        while (!ptx::mbarrier_try_wait_parity(&full[s], k / STAGES & 1)) {
        }
        for (uint32_t j = t - 32; j < TILE; j += consumers)
            sum = sum * 3 + ring[s][j];
        ptx::mbarrier_arrive(&empty[s]);
    }
    data[(8 * 64 + blockIdx.x) * TILE + t] = sum;
}
