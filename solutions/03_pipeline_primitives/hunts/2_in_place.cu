// Hunt 03.h2: deltas in place
// x[i] becomes x[i] - x[i - 1] (x[0] stays). One block encodes a row, tile by tile, and fetches the next tile while it
// encodes this one. To save memory, the result now overwrites the samples. Since then the first value of a tile is
// wrong in some runs.
#include "lab.h"

#include <cuda_pipeline.h>

constexpr int TILE = 128; // samples, one thread for each

struct Tile {
    int before;        // the sample before the tile
    int samples[TILE]; // those that exist
};

__device__ void copy_one(int* to, const int* from) {
    __pipeline_memcpy_async(to, from, sizeof(int));
}

/// Fetches the tile at `begin`, as one group of each thread.
__device__ void fetch(Tile& tile, const int* row, int begin, int n) {
    const int t = threadIdx.x;
    if (begin + t < n)
        copy_one(&tile.samples[t], &row[begin + t]);
    __pipeline_commit();
}

/// The sample before sample t of the tile.
__device__ int left_of(const Tile& tile, int t) {
    return t > 0 ? tile.samples[t - 1] : tile.before;
}

__global__ void __launch_bounds__(TILE) encode(int* rows, int n) {
    __shared__ Tile tiles[2];
    int* const row = rows + static_cast<size_t>(blockIdx.x) * n;
    const int t = threadIdx.x;
    if (t == 0)
        tiles[0].before = 0; // nothing is subtracted from the first sample
    fetch(tiles[0], row, 0, n);

    int current = 0;
    for (int begin = 0; begin < n; begin += TILE, current ^= 1) {
        fetch(tiles[current ^ 1], row, begin + TILE, n); // perhaps an empty group
        __pipeline_wait_prior(1);
        __syncthreads(); // this tile is complete

        const Tile& tile = tiles[current];
        if (begin + t < n)
            row[begin + t] = tile.samples[t] - left_of(tile, t);
        if (t == 0 && begin + TILE < n) // from shared memory: in the row, it is being overwritten
            tiles[current ^ 1].before = tile.samples[TILE - 1];
        __syncthreads(); // the tile has been read; the next round fetches into it
    }
}

/// `rows`: `count` rows of n integers in device memory.
cudaError_t launch(int* rows, int n, int count, cudaStream_t stream) {
    if (n > 0 && count > 0)
        encode<<<count, TILE, 0, stream>>>(rows, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
