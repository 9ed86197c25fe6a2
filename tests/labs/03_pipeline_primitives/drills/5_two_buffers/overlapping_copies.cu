// expect: overlapping-copies
// Both tiles use one buffer.
// Drill 03.5: copy the next, compute this one
// While the block computes one tile, the copies of the next one are in flight. So the next tile needs a buffer of its
// own, and the buffer that has been read may be filled again only when all threads have read it.
#include "lab.h"

#include <cuda_pipeline.h>

constexpr int TILE = 128; // one thread for each element

__device__ void fetch(int* buffer, const int* in) {
    __pipeline_memcpy_async(&buffer[threadIdx.x], &in[threadIdx.x], sizeof(int));
}

__global__ void __launch_bounds__(TILE) reverse_tiles(const int* in, int* out, int tiles) {
    __shared__ int buffers[2][TILE];
    const int t = threadIdx.x;
    fetch(buffers[0], in);
    __pipeline_commit();
    for (int tile = 0; tile < tiles; ++tile) {
        int* const current = buffers[tile % 2];
        // TODO(1): which buffer is free for the next tile?
        int* const next = current;
        // END TODO(1)
        if (tile + 1 < tiles)
            fetch(next, in + (tile + 1) * TILE);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads(); // `current` is complete
        out[tile * TILE + t] = current[TILE - 1 - t];
        // TODO(2): the next round fetches into `current`.
        __syncthreads();
        // END TODO(2)
    }
}

/// `in` and `out` are arrays of tiles · 128 integers in device memory.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    reverse_tiles<<<1, TILE, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
