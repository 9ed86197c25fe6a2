// Lab 05 without asynchronous copies, for comparison: ./lab bench 05. A tile goes through registers; a thread issues
// all its loads at once. The grid and the tiles are those of the lab.
#include "lab.h"

#include <algorithm>

constexpr int THREADS = 224;
constexpr int LOADS = 2; // of 16 bytes per thread
constexpr int TILE = THREADS * LOADS * 4;

__device__ uint4 load(const uint32_t* in, int i, int n) {
    if (i + 3 < n)
        return *reinterpret_cast<const uint4*>(&in[i]);
    return {i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0};
}

__global__ void __launch_bounds__(THREADS) encode(const uint32_t* in, uint32_t* out, int n) {
    __shared__ alignas(16) uint32_t tile[TILE];
    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        uint4 loaded[LOADS];
        for (int l = 0; l < LOADS; ++l)
            loaded[l] = load(in, begin + 4 * (l * THREADS + threadIdx.x), n);
        for (int l = 0; l < LOADS; ++l)
            *reinterpret_cast<uint4*>(&tile[4 * (l * THREADS + threadIdx.x)]) = loaded[l];
        __syncthreads();
        for (int l = 0; l < LOADS; ++l) {
            const int e = 4 * (l * THREADS + threadIdx.x), i = begin + e;
            const uint4 x = *reinterpret_cast<const uint4*>(&tile[e]);
            const uint32_t before = e == 0 ? 0 : tile[e - 1];
            const uint32_t y[4] = {x.x - before, x.y - x.x, x.z - x.y, x.w - x.z};
            if (i + 3 < n)
                *reinterpret_cast<uint4*>(&out[i]) = {y[0], y[1], y[2], y[3]};
            else
                for (int j = 0; j < 4 && i + j < n; ++j)
                    out[i + j] = y[j];
        }
        __syncthreads();
    }
}

/// `stages` is unused: there is only one.
cudaError_t launch(const uint32_t* in, uint32_t* out, int n, int, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int grid = std::min((n + TILE - 1) / TILE, sms);
    if (grid > 0)
        encode<<<grid, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
