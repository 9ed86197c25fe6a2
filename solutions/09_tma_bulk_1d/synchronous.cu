// Lab 09 without asynchronous copies, for comparison: ./lab bench 09. A tile goes through registers; a thread issues
// all its loads at once. The grid and the tiles are those of the lab.
#include "lab.h"

constexpr int TILE = 2048; // samples: 8 KiB
constexpr int THREADS = 256;
constexpr int LOADS = TILE / 4 / THREADS;

__device__ float amplified(float sample, float gain) {
    return fminf(fmaxf(gain * sample, -1.0f), 1.0f);
}

__global__ void __launch_bounds__(THREADS) amplify(float* samples, int n, float gain) {
    __shared__ alignas(16) float tile[TILE];
    const int whole = n / 4 * 4;
    for (int begin = blockIdx.x * TILE; begin < whole; begin += gridDim.x * TILE) {
        float4 loaded[LOADS];
        for (int l = 0; l < LOADS; ++l) {
            const int i = begin + 4 * (l * THREADS + threadIdx.x);
            loaded[l] = i < whole ? *reinterpret_cast<const float4*>(&samples[i]) : float4{};
        }
        for (int l = 0; l < LOADS; ++l)
            *reinterpret_cast<float4*>(&tile[4 * (l * THREADS + threadIdx.x)]) = loaded[l];
        __syncthreads();
        for (int t = threadIdx.x; t < TILE; t += THREADS)
            tile[t] = amplified(tile[t], gain);
        __syncthreads();
        for (int l = 0; l < LOADS; ++l) {
            const int e = 4 * (l * THREADS + threadIdx.x);
            if (begin + e < whole)
                *reinterpret_cast<float4*>(&samples[begin + e]) = *reinterpret_cast<const float4*>(&tile[e]);
        }
        __syncthreads();
    }
    const int i = whole + threadIdx.x; // up to three samples are left
    if (blockIdx.x == 0 && i < n)
        samples[i] = amplified(samples[i], gain);
}

cudaError_t launch(float* samples, int n, float gain, cudaStream_t stream) {
    const int tiles = (n + TILE - 1) / TILE;
    const int grid = (tiles + 3) / 4; // a block has four tiles: when it ends, the SM gets the next block
    if (grid > 0)
        amplify<<<grid, THREADS, 0, stream>>>(samples, n, gain);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
