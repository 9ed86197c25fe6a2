// expect: case "one barrier for each tile"
// A second barrier, and one window.
// Drill 01.4: one barrier for each tile
// A single window would need two barriers for each tile (drill 01.1). Here there are two windows, but only one of them
// is used. Let them take turns, so that the one barrier is enough. Do not add a barrier.
#include "lab.h"

constexpr int TILE = 128; // one thread for each element

__global__ void __launch_bounds__(TILE) add_mirrored(const int* in, int* out, int tiles) {
    __shared__ int windows[2][TILE];
    const int t = threadIdx.x;
    for (int k = 0; k < tiles; ++k) {
        // TODO(1): choose the window of tile k.
        __syncthreads();
        int* const window = windows[0];
        // END TODO(1)
        window[t] = in[k * TILE + t];
        __syncthreads();
        out[k * TILE + t] = window[t] + window[TILE - 1 - t];
    }
}

/// `in` and `out` are arrays of tiles · 128 integers in device memory.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    add_mirrored<<<1, TILE, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
