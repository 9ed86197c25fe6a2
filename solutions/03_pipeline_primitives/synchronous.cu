// Lab 03 without asynchronous copies, for comparison: ./lab bench 03. A tile goes through registers; a thread issues
// all its loads at once. The grid and the tiles are those of the lab.
#include "lab.h"

#include <algorithm>

constexpr int THREADS = 160;
constexpr int TILE = 1280;
constexpr int LOADS = TILE / 4 / THREADS; // of 16 bytes per thread

__global__ void __launch_bounds__(THREADS) difference(const float* in, float* out, int n) {
    __shared__ alignas(16) float tile[TILE + 1];
    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        float4 loaded[LOADS];
        for (int l = 0; l < LOADS; ++l) {
            const int i = begin + 4 * (l * THREADS + threadIdx.x);
            if (i + 3 < n)
                loaded[l] = *reinterpret_cast<const float4*>(&in[i]);
            else
                loaded[l] = {i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0};
        }
        const float behind = begin + TILE < n ? in[begin + TILE] : 0;
        for (int l = 0; l < LOADS; ++l)
            *reinterpret_cast<float4*>(&tile[4 * (l * THREADS + threadIdx.x)]) = loaded[l];
        if (threadIdx.x == 0)
            tile[TILE] = behind;
        __syncthreads();
        for (int t = threadIdx.x; t < TILE && begin + t < n; t += THREADS)
            out[begin + t] = tile[t + 1] - tile[t];
        __syncthreads();
    }
}

cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    // A block has one tile in flight while it computes another, and gets at least four tiles.
    const int enough = lab::blocks_in_flight(TILE * sizeof(float));
    const int tiles = (n + TILE - 1) / TILE;
    const int blocks = std::min((tiles + 3) / 4, enough);
    if (blocks > 0)
        difference<<<blocks, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
