// Drill 03.2: first wait, then meet
// Here a thread reads a number that another thread has copied. A wait covers the copies of the calling thread only, and
// a barrier completes no copy, so both are needed. They are in the wrong order: put them right.
#include "lab.h"

#include <cuda_pipeline.h>

constexpr int THREADS = 128;

__global__ void __launch_bounds__(THREADS) reverse(const int* in, int* out) {
    __shared__ int tile[THREADS];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
    __pipeline_commit();
    // TODO(1): when a thread continues after these lines, the copies of all threads must be complete.
    __pipeline_wait_prior(0);
    __syncthreads();
    // END TODO(1)
    out[t] = tile[THREADS - 1 - t];
}

/// `in` and `out` are arrays of 128 integers in device memory.
void launch(const int* in, int* out, cudaStream_t stream) {
    reverse<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
