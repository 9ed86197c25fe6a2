// Hunt 06.h2: right with one block.
// A gamma curve for a stream of pixels: a warp copies tiles, the others look the pixels up. Observed: every test passes
// on the small GPU, where one block runs. On the large one most pixels are those of another tile.
#include "lab.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init // make_pipeline initialises a pipeline_shared_state

namespace cg = cooperative_groups;

constexpr int COPIERS = 32, WORKERS = 96;
constexpr int TILE = 4 * COPIERS; // pixels
constexpr int STAGES = 4;
constexpr int LEVELS = 256;

using State = cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES>;
using Pipeline = cuda::pipeline<cuda::thread_scope_block>;
using Ring = uint32_t[STAGES][TILE];

// The k-th tile of this block.
__device__ int tile_of(int k) {
    return blockIdx.x + k * gridDim.x;
}

__device__ void copy_tiles(Pipeline& pipe, Ring& ring, const uint32_t* in, int tiles) {
    const auto warp = cg::tiled_partition<COPIERS>(cg::this_thread_block());
    for (int k = 0; tile_of(k) < tiles; ++k) {
        pipe.producer_acquire();
        cuda::memcpy_async(warp, ring[k % STAGES], in + tile_of(k) * TILE, cuda::aligned_size_t<16>(sizeof ring[0]),
                           pipe);
        pipe.producer_commit();
    }
}

__device__ void look_up(Pipeline& pipe, const Ring& ring, const uint32_t* curve, uint32_t* out, int tiles) {
    for (int k = 0; tile_of(k) < tiles; ++k) {
        const int tile = tile_of(k);
        pipe.consumer_wait();
        for (int i = threadIdx.x - COPIERS; i < TILE; i += WORKERS)
            out[tile * TILE + i] = curve[ring[k % STAGES][i] % LEVELS];
        pipe.consumer_release();
    }
}

__global__ void __launch_bounds__(COPIERS + WORKERS)
    gamma(const uint32_t* in, const uint32_t* curve, uint32_t* out, int tiles) {
    __shared__ alignas(16) Ring ring;
    __shared__ State state;
    auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, COPIERS);
    if (threadIdx.x < COPIERS)
        copy_tiles(pipe, ring, in, tiles);
    else
        look_up(pipe, ring, curve, out, tiles);
}

/// `in` and `out` are 16-byte aligned arrays of 128 pixels for each tile; `curve` has 256 entries.
cudaError_t launch(const uint32_t* in, const uint32_t* curve, uint32_t* out, int tiles, int blocks,
                   cudaStream_t stream) {
    gamma<<<blocks, COPIERS + WORKERS, 0, stream>>>(in, curve, out, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
