// Drill 20.1: in turns
// Who computes which tile? All tiles of all problems are numbered, and block b computes the tiles b, b + gridDim.x and
// so on, so that blocks which run at the same time find the same operands in the L2 cache. A tile's problem is the last
// one that begins with this tile or an earlier one. Problems may be empty. Within a problem, the tiles of a column
// follow each other.
#include "lab.h"

#include <algorithm>

constexpr int TILE_M = 8, TILE_N = 16, THREADS = TILE_M * TILE_N;

struct Problem {
    uint32_t* d; // m contiguous rows of n elements
    int m, n;
    int first; // index of this problem's first tile
};

__global__ void __launch_bounds__(THREADS) number(const Problem* list, int count, int tiles) {
    int owner = 0;
    // TODO(1): the block's tiles.
    for (int t = blockIdx.x; t < blockIdx.x + 1; ++t) { // placeholder
        // END TODO(1)

        // TODO(2): the tile's problem: `owner` goes on in the list, past empty problems.
        // END TODO(2)
        const Problem& p = list[owner];
        // TODO(3): where does the tile begin in D? How many tiles are in a column?
        const int y = 0, x = (t - p.first) * TILE_N; // placeholder
        // END TODO(3)
        if (const int row = y + threadIdx.x / TILE_N, column = x + threadIdx.x % TILE_N; row < p.m && column < p.n)
            p.d[row * p.n + column] = t;
    }
}

/// `list`: `count` problems with `tiles` tiles altogether. Each element of D becomes the number of its tile.
cudaError_t launch(const Problem* list, int count, int tiles, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    number<<<std::min(tiles, sms), THREADS, 0, stream>>>(list, count, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
