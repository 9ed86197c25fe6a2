// Lab 07 without asynchronous copies, for comparison: ./lab bench 07. A tile goes through registers; a thread issues
// all its loads at once. The grid and the tiles are those of the lab.
#include "lab.h"

#include <algorithm>

constexpr int WARPS = 4;
constexpr int ROW = 4 * 32;       // samples that a warp decodes at a time: four per lane
constexpr int TILE = WARPS * ROW; // 2 KiB
constexpr int THREADS = 32 * WARPS;

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
    __shared__ alignas(16) uint32_t tile[TILE];
    const int e = 4 * threadIdx.x;
    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        const int i = begin + e;
        uint4 loaded;
        if (i + 3 < n)
            loaded = *reinterpret_cast<const uint4*>(&in[i]);
        else
            loaded = {i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0};
        *reinterpret_cast<uint4*>(&tile[e]) = loaded;
        __syncthreads();
        const uint4 x = running_sum(*reinterpret_cast<const uint4*>(&tile[e]), threadIdx.x % 32);
        const uint32_t y[4] = {x.x, x.y, x.z, x.w};
        if (i + 3 < n)
            *reinterpret_cast<uint4*>(&out[i]) = x;
        else
            for (int j = 0; j < 4 && i + j < n; ++j)
                out[i + j] = y[j];
        __syncthreads();
    }
}

cudaError_t launch(const uint32_t* in, uint32_t* out, int n, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int grid = std::min((n + TILE - 1) / TILE, 4 * sms);
    if (grid > 0)
        decode<<<grid, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
