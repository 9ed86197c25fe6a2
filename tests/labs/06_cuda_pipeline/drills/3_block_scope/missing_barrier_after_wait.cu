// expect: missing-barrier-after-wait
// Block scope is more than a state in shared memory: the pipeline has to be made with it.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init // make_pipeline initialises a pipeline_shared_state

namespace cg = cooperative_groups;
constexpr int THREADS = 64;

// You need, for a pipeline of the group g with S stages in which every thread produces and consumes:
//     __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, S> state;     its barriers
//     cuda::make_pipeline(g, &state)                                                 by all threads of g
__global__ void __launch_bounds__(THREADS) mirror(const int* in, int* out) {
    __shared__ alignas(16) int row[THREADS];
    const auto block = cg::this_thread_block();
    // TODO(1): a pipeline of the block, with one stage.
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    (void)state;
    auto pipe = cuda::make_pipeline();
    // END TODO(1)

    pipe.producer_acquire();
    cuda::memcpy_async(block, row, in + blockIdx.x * THREADS, cuda::aligned_size_t<16>(sizeof row), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[blockIdx.x * THREADS + threadIdx.x] = row[THREADS - 1 - threadIdx.x];
    pipe.consumer_release();
}

/// `in` and `out` are 16-byte aligned arrays of 64 integers for each block.
void launch(const int* in, int* out, int blocks, cudaStream_t stream) {
    mirror<<<blocks, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
