// expect: barrier-reinitialised
// A barrier of the block does not end the pipeline's barriers.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init // make_pipeline initialises a pipeline_shared_state

namespace cg = cooperative_groups;
constexpr int THREADS = 64;
constexpr int PRODUCERS = 32; // threads 0 … 31, in the first pass

// You need:
//     pipe.quit();      by every thread: it leaves the pipeline; the last one destroys the barriers
//     block.sync();     __syncthreads() by its other name
__global__ void __launch_bounds__(THREADS) two_passes(const int* in, int* sums, int* out) {
    __shared__ int tile[THREADS];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x;

    auto first = cuda::make_pipeline(block, &state, PRODUCERS);
    if (t < PRODUCERS) {
        first.producer_acquire();
        cuda::memcpy_async(&tile[t], in + t, cuda::aligned_size_t<4>(4), first);
        cuda::memcpy_async(&tile[PRODUCERS + t], in + PRODUCERS + t, cuda::aligned_size_t<4>(4), first);
        first.producer_commit();
    } else {
        first.consumer_wait();
        const int lane = t - PRODUCERS;
        sums[lane] = tile[lane] + tile[THREADS - 1 - lane];
        first.consumer_release();
    }

    // TODO(1): end the first pipeline. Who has to have left before thread 0 initialises the state again?
    block.sync();
    // END TODO(1)

    auto second = cuda::make_pipeline(block, &state);
    second.producer_acquire();
    cuda::memcpy_async(&tile[t], in + THREADS + t, cuda::aligned_size_t<4>(4), second);
    second.producer_commit();
    second.consumer_wait();
    out[t] = tile[THREADS - 1 - t];
    second.consumer_release();
}

/// `in` has 128 integers, `sums` 32 and `out` 64.
void launch(const int* in, int* sums, int* out, cudaStream_t stream) {
    two_passes<<<1, THREADS, 0, stream>>>(in, sums, out);
}

LAB_ENTRY(launch)
