// Drill 06.4: release the stage.
// A unified pipeline of the block with two stages. The producers' half of the loop is written: it fills the next stage
// while this one is used. Write the consumers' half for tile k: wait, read, release the stage.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init // make_pipeline initialises a pipeline_shared_state

namespace cg = cooperative_groups;
constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) mirror_tiles(const int* in, int* out, int tiles) {
    __shared__ alignas(16) int ring[2][THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    auto fetch = [&](int k) {
        pipe.producer_acquire(); // waits until every thread has released the stage
        cuda::memcpy_async(block, ring[k % 2], in + k * THREADS, cuda::aligned_size_t<16>(sizeof ring[0]), pipe);
        pipe.producer_commit();
    };
    fetch(0);
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles)
            fetch(k + 1);
        // TODO(1): tile k: out[k * THREADS + t] = the t-th number from the end of ring[k % 2].
        pipe.consumer_wait();
        out[k * THREADS + threadIdx.x] = ring[k % 2][THREADS - 1 - threadIdx.x];
        pipe.consumer_release();
        // END TODO(1)
    }
}

/// `in` and `out` are 16-byte aligned arrays of 64 integers for each tile.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    mirror_tiles<<<1, THREADS, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
