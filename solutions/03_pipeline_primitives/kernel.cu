// Lab 03: differences of neighbours, staged with the pipeline primitives.
// out[i] = in[i + 1] - in[i], where a zero follows the last element.
#include "lab.h"

#include <algorithm>
#include <cuda_pipeline.h>

constexpr int THREADS = 160;
constexpr int TILE = 1280; // elements per tile: 5 KiB, two copies of 16 bytes per thread
constexpr int STAGES = 2;  // one tile is computed while the next one is in flight

struct alignas(16) Tile {
    float elements[TILE + 4]; // a tile and the element after it, padded to 16 bytes
};

/// Issues the copies of the tile at `begin` and of the element after it. `in` is 16-byte aligned.
__device__ void fetch(Tile& tile, const float* in, int begin, int n) {
    const int have = min(TILE + 1, n - begin); // elements that exist
    // TODO(1): copy whole groups of four elements, 16 bytes at a time. Then copy the next four elements, 4 bytes each;
    // those that do not exist become zeros (see the fourth argument of __pipeline_memcpy_async).
    const int wide = have / 4 * 4;
    for (int t = 4 * threadIdx.x; t < wide; t += 4 * THREADS)
        __pipeline_memcpy_async(&tile.elements[t], &in[begin + t], 16);
    if (threadIdx.x < 4) {
        const int t = wide + threadIdx.x;
        const bool exists = t < have;
        __pipeline_memcpy_async(&tile.elements[t], &in[begin + (exists ? t : 0)], 4, exists ? 0 : 4);
    }
    // END TODO(1)
}

__global__ void __launch_bounds__(THREADS) difference(const float* in, float* out, int n) {
    __shared__ Tile tiles[STAGES];
    const int stride = gridDim.x * TILE;
    int current = 0; // tiles[current] is computed in this round, the other tile in the next

    // TODO(2): issue the copies of this block's first tile, and commit them as a group.
    fetch(tiles[current], in, blockIdx.x * TILE, n);
    __pipeline_commit();
    // END TODO(2)

    for (int begin = blockIdx.x * TILE; begin < n; begin += stride, current ^= 1) {
        // TODO(3): issue the copies of the next tile, if any, as the next group. Wait for the group of this tile and no
        // other. How many groups are younger, even in the last round? Who copied the elements that you will read?
        const int next = begin + stride;
        if (next < n)
            fetch(tiles[current ^ 1], in, next, n);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        // END TODO(3)

        const float* const x = tiles[current].elements;
        for (int t = threadIdx.x; t < TILE && begin + t < n; t += THREADS)
            out[begin + t] = x[t + 1] - x[t];

        // TODO(4): the next round fetches into the buffer that was read here.
        __syncthreads();
        // END TODO(4)
    }
}

/// `in` and `out` are 16-byte aligned arrays of n floats in device memory.
/// n is at most 2^31 - 2^22: the index of a block's next tile is an int, too.
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
