// expect: out-of-bounds
// Tiles are fetched that do not exist.
// Drill 03.4: keep counting at the end
// Two tiles are in flight. In every round a thread waits for the older one, with N = 1, uses it, and fetches the tile
// after the next. N counts groups, so it is right only as long as each round commits one. Near the end there is nothing
// left to fetch, and the last tile is read too early. Change the region, not the wait.
#include "lab.h"

#include <cuda_pipeline.h>

constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) negate(const int* in, int* out, int tiles) {
    __shared__ int buffers[2][THREADS];
    const int t = threadIdx.x; // reads what it has copied itself, so the block needs no barrier
    auto fetch = [&](int tile) {
        __pipeline_memcpy_async(&buffers[tile % 2][t], &in[tile * THREADS + t], sizeof(int));
    };

    for (int tile = 0; tile < 2; ++tile) {
        if (tile < tiles)
            fetch(tile);
        __pipeline_commit();
    }
    for (int tile = 0; tile < tiles; ++tile) {
        __pipeline_wait_prior(1);
        out[tile * THREADS + t] = -buffers[tile % 2][t];
        // TODO(1): fetch the tile after the next, and commit it.
        fetch(tile + 2);
        __pipeline_commit();
        // END TODO(1)
    }
}

/// `in` and `out` are arrays of tiles · 64 integers in device memory.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    negate<<<1, THREADS, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
