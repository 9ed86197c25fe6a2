// expect: case "the next chunk stays in flight"
// Correct, but it waits for the chunk that was issued a moment ago.
#include "lab.h"

#include <cuda/pipeline>

constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) largest(const int* in, int* out, int chunks) {
    __shared__ int buffer[2][THREADS]; // each thread uses its own entries
    auto pipe = cuda::make_pipeline();
    const int t = threadIdx.x;
    auto fetch = [&](int k) {
        pipe.producer_acquire();
        if (k < chunks)
            cuda::memcpy_async(&buffer[k % 2][t], in + k * THREADS + t, cuda::aligned_size_t<4>(4), pipe);
        pipe.producer_commit(); // after the last chunk, an empty stage: wait_prior counts commits
    };
    fetch(0);
    int best = INT_MIN;
    for (int k = 0; k < chunks; ++k) {
        fetch(k + 1);
        // TODO(1): returns when all but the last P stages are complete. Which P?
        cuda::pipeline_consumer_wait_prior<0>(pipe);
        // END TODO(1)
        best = max(best, buffer[k % 2][t]);
        pipe.consumer_release();
    }
    out[t] = best;
}

/// `in` has `chunks` rows of 64 integers; `out` has one maximum for each column.
void launch(const int* in, int* out, int chunks, cudaStream_t stream) {
    largest<<<1, THREADS, 0, stream>>>(in, out, chunks);
}

LAB_ENTRY(launch)
