// Hunt 02.h2: weighted tiles
// Each tile has samples and their weights. They were two arrays and are now one array of structures, so that one copy
// fetches both. While a tile is processed, the next one is in flight. Since the change the results differ from run to
// run, except for small inputs.
#include "lab.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

constexpr int TILE = 128; // samples, one thread for each

/// Must agree with the layout on the host.
struct alignas(16) Tile {
    float samples[TILE];
    float weights[TILE];
};

constexpr int COPIES_OF_A_TILE = 1; // calls of cg::memcpy_async, each of which commits a group

__device__ void fetch(const cg::thread_block& block, Tile& to, const Tile& from) {
    cg::memcpy_async(block, &to, &from, sizeof(Tile));
}

/// Waits for all tiles but the `AHEAD` that were fetched last, and for the block.
template <int AHEAD>
__device__ void wait_for_tile(const cg::thread_block& block) {
    cg::wait_prior<AHEAD * COPIES_OF_A_TILE>(block);
}

// Each sample, with its weight, minus the mirrored one.
__device__ float antisymmetric(const Tile& tile, int t) {
    const int m = TILE - 1 - t;
    return tile.weights[t] * tile.samples[t] - tile.weights[m] * tile.samples[m];
}

__global__ void __launch_bounds__(TILE) process(const Tile* in, float* out, int tiles) {
    __shared__ Tile staged[2];
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x, stride = gridDim.x;

    int current = 0;
    if (blockIdx.x < tiles)
        fetch(block, staged[current], in[blockIdx.x]);
    for (int tile = blockIdx.x; tile < tiles; tile += stride, current ^= 1) {
        if (tile + stride < tiles) {
            fetch(block, staged[current ^ 1], in[tile + stride]);
            wait_for_tile<1>(block);
        } else {
            wait_for_tile<0>(block);
        }
        out[tile * TILE + t] = antisymmetric(staged[current], t);
        block.sync(); // the tile has been read; the next round fetches into it
    }
}

/// `in`: `tiles` tiles, `out`: tiles · 128 floats, in device memory.
cudaError_t launch(const float* in, float* out, int tiles, cudaStream_t stream) {
    if (tiles > 0)
        process<<<min(tiles, 2), TILE, 0, stream>>>(reinterpret_cast<const Tile*>(in), out, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
