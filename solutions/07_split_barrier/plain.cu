// Lab 07 without shared memory, for comparison: ./lab bench 07. A lane keeps its four samples in registers from the
// load to the store; many warps hide the latency.
#include "lab.h"

constexpr int ROW = 4 * 32; // samples that a warp decodes: four per lane
constexpr int THREADS = 256;
constexpr int TILE = THREADS / 32 * ROW;

__device__ uint4 running_sum(uint4 x, int lane) {
    x.y += x.x, x.z += x.y, x.w += x.z;
    uint32_t sum = x.w;
    for (int distance = 1; distance < 32; distance *= 2) {
        const uint32_t below = __shfl_up_sync(~0u, sum, distance);
        sum += lane >= distance ? below : 0;
    }
    const uint32_t before = sum - x.w;
    return {x.x + before, x.y + before, x.z + before, x.w + before};
}

__global__ void __launch_bounds__(THREADS) decode(const uint32_t* in, uint32_t* out, int n) {
    const int64_t i = int64_t{blockIdx.x} * TILE + 4 * threadIdx.x;
    uint4 x{};
    if (i + 3 < n)
        x = *reinterpret_cast<const uint4*>(&in[i]);
    else
        x = {i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0};
    x = running_sum(x, threadIdx.x % 32);
    const uint32_t y[4] = {x.x, x.y, x.z, x.w};
    if (i + 3 < n)
        *reinterpret_cast<uint4*>(&out[i]) = x;
    else
        for (int j = 0; j < 4 && i + j < n; ++j)
            out[i + j] = y[j];
}

cudaError_t launch(const uint32_t* in, uint32_t* out, int n, cudaStream_t stream) {
    if (n > 0)
        decode<<<(n - 1) / TILE + 1, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
