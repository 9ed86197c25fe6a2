// Hunt 03.h1: difference to the other half
// d[i] = x[i] - x[i'], where i' is the same place in the other half of the tile, or x[i] where there is none. The next
// tile is in flight while a tile is processed. Inputs that are a multiple of the tile are right. For others, part of
// the last but one tile of a block is wrong now and then, never the last one.
#include "lab.h"

#include <cuda_pipeline.h>

constexpr int TILE = 128; // elements, one thread for each

/// Fetches this thread's element of the tile at `begin`, as one group.
__device__ void fetch(float* tile, const float* x, int begin, int n) {
    const int i = begin + threadIdx.x;
    if (i < n)
        __pipeline_memcpy_async(&tile[threadIdx.x], &x[i], sizeof(float));
    __pipeline_commit(); // without an element, too: the waits count groups
}

/// The tile that was fetched before the last one is complete, for all threads.
__device__ void wait_for_older() {
    __pipeline_wait_prior(1);
    __syncthreads();
}

/// All tiles are complete, for all threads.
__device__ void wait_for_all() {
    __pipeline_wait_prior(0);
    __syncthreads();
}

__global__ void __launch_bounds__(TILE) differences(const float* x, float* d, int n) {
    __shared__ float tiles[2][TILE];
    const int stride = gridDim.x * TILE;
    int current = 0;
    fetch(tiles[current], x, blockIdx.x * TILE, n);

    for (int begin = blockIdx.x * TILE; begin < n; begin += stride, current ^= 1) {
        const int next = begin + stride;
        if (next < n) {
            fetch(tiles[current ^ 1], x, next, n);
            wait_for_older();
        } else {
            wait_for_all();
        }

        const int i = begin + threadIdx.x, other = (threadIdx.x + TILE / 2) % TILE;
        if (i < n) {
            const float mine = tiles[current][threadIdx.x];
            d[i] = begin + other < n ? mine - tiles[current][other] : mine;
        }
        __syncthreads(); // the tile has been read; the next round fetches into it
    }
}

/// `x` and `d` are arrays of n floats in device memory.
cudaError_t launch(const float* x, float* d, int n, cudaStream_t stream) {
    const int tiles = (n + TILE - 1) / TILE;
    if (tiles > 0)
        differences<<<min(tiles, 2), TILE, 0, stream>>>(x, d, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
