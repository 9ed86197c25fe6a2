// expect: missing-wait
// A copy that was never committed belongs to no stage: the wait finds nothing to wait for.
#include "lab.h"

#include <cuda/pipeline>

constexpr int THREADS = 64;

// You need, in the order of a stage's life:
//     pipe.producer_acquire();     the stage may be filled
//     pipe.producer_commit();      all its copies have been issued
//     pipe.consumer_wait();        they are complete
//     pipe.consumer_release();     it has been read
__global__ void __launch_bounds__(THREADS) sum_of_squares(const int* in, int* out, int chunks) {
    __shared__ int stage[THREADS]; // each thread uses its own entry
    auto pipe = cuda::make_pipeline();
    const int t = threadIdx.x;
    int sum = 0;
    for (int k = 0; k < chunks; ++k) {
        // TODO(1): put the calls around the copy and around the use.
        pipe.producer_acquire();
        cuda::memcpy_async(&stage[t], in + k * THREADS + t, cuda::aligned_size_t<4>(4), pipe);
        pipe.consumer_wait();
        sum += stage[t] * stage[t];
        pipe.consumer_release();
        // END TODO(1)
    }
    out[t] = sum;
}

/// `in` has `chunks` rows of 64 integers; `out` has one sum for each column.
void launch(const int* in, int* out, int chunks, cudaStream_t stream) {
    sum_of_squares<<<1, THREADS, 0, stream>>>(in, out, chunks);
}

LAB_ENTRY(launch)
