// A ring of stages filled by cp.async: what most of the labs look like.
#include <cstdint>
#include <cuda_pipeline.h>

constexpr int STAGES = 4, TILE = 1024;

extern "C" __global__ void bench(uint32_t* data, uint32_t n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    const uint32_t t = threadIdx.x;
    const uint32_t* in = data + blockIdx.x * 64 * TILE;
    auto issue = [&](uint32_t k) {
        if (k < n)
            __pipeline_memcpy_async(&ring[k % STAGES][4 * t], in + k % 64 * TILE + 4 * t, 16);
        __pipeline_commit();
    };
    for (uint32_t k = 0; k < STAGES - 1; ++k)
        issue(k);
    uint32_t sum = 0;
    for (uint32_t k = 0; k < n; ++k) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
        issue(k + STAGES - 1);
        for (uint32_t j = 0; j < TILE / 256; ++j)
            sum += ring[k % STAGES][(t + 1 + 256 * j) % TILE];
    }
    data[(8 * 64 + blockIdx.x) * TILE + t] = sum;
}
