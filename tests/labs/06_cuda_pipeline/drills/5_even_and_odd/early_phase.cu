// expect: early-phase
// The producers of one warp, not of the block.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init // make_pipeline initialises a pipeline_shared_state

namespace cg = cooperative_groups;
constexpr int THREADS = 64;
constexpr int TILE = THREADS / 2; // one number for each producer, and for each consumer
constexpr int STAGES = 2;

// You need: cuda::pipeline_role::producer, cuda::pipeline_role::consumer, and
//     cuda::make_pipeline(block, &state, role)     each thread passes its own role
__global__ void __launch_bounds__(THREADS) negate(const int* in, int* out, int tiles) {
    __shared__ int ring[STAGES][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    const auto block = cg::this_thread_block();
    const int i = threadIdx.x / 2;
    // TODO(1): the role of this thread, and a pipeline in which it has that role.
    auto pipe = cuda::make_pipeline(block, &state, TILE / 2);
    // END TODO(1)

    if (threadIdx.x % 2 == 0) {
        for (int k = 0; k < tiles; ++k) {
            pipe.producer_acquire();
            cuda::memcpy_async(&ring[k % STAGES][i], in + k * TILE + i, cuda::aligned_size_t<4>(4), pipe);
            pipe.producer_commit();
        }
    } else {
        for (int k = 0; k < tiles; ++k) {
            pipe.consumer_wait();
            out[k * TILE + i] = -ring[k % STAGES][TILE - 1 - i];
            pipe.consumer_release();
        }
    }
}

/// `in` and `out` are arrays of 32 integers for each tile.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    negate<<<1, THREADS, 0, stream>>>(in, out, tiles);
}

LAB_ENTRY(launch)
