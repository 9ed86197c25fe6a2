// Drill 16.1: a run of tiles
// The first checkpoint of the capstone: who does what? All tiles of all matrices are numbered, and each block processes
// a run of consecutive ones. Share the tiles out evenly, even when their number is no multiple of the number of blocks.
// Then find the matrix of a tile and the tile's place in it. Everything else is ordinary loads and stores.
#include "lab.h"

#include <algorithm>

constexpr int TILE = 32, THREADS = 64;

struct Matrix {
    const uint32_t* in; // contiguous rows
    uint32_t* out;
    int rows, columns;
    int first; // index of this matrix's first tile
    int padding;
};

// Returns the index of the matrix that tile t belongs to.
__device__ int owner(const Matrix* batch, int count, int t) {
    int m = 0;
    while (m + 1 < count && batch[m + 1].first <= t)
        ++m;
    return m;
}

__global__ void __launch_bounds__(THREADS) add_one(const Matrix* batch, int count, int tiles) {
    // TODO(1): the run of this block, tiles begin to end - 1. Beware of an int that overflows.
    const int begin = int64_t(tiles) * blockIdx.x / gridDim.x, end = int64_t(tiles) * (blockIdx.x + 1) / gridDim.x;
    // END TODO(1)

    int m = owner(batch, count, begin);
    for (int t = begin; t < end; ++t) {
        // TODO(2): go on to the next matrix when t belongs to it. Where does the tile begin in its matrix?
        while (m + 1 < count && batch[m + 1].first <= t)
            ++m;
        const int across = (batch[m].columns + TILE - 1) / TILE;
        const int x = (t - batch[m].first) % across * TILE, y = (t - batch[m].first) / across * TILE;
        // END TODO(2)

        const Matrix& matrix = batch[m];
        for (int i = threadIdx.x; i < TILE * TILE; i += THREADS)
            if (const int row = y + i / TILE, column = x + i % TILE; row < matrix.rows && column < matrix.columns)
                matrix.out[row * matrix.columns + column] = matrix.in[row * matrix.columns + column] + 1;
    }
}

/// `batch`: `count` matrices with `tiles` tiles altogether.
cudaError_t launch(const Matrix* batch, int count, int tiles, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    add_one<<<std::min(tiles, 2 * sms), THREADS, 0, stream>>>(batch, count, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
