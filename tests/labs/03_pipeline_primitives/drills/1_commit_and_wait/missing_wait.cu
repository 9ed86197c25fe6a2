// expect: missing-wait
// A barrier completes no copy.
// Drill 03.1: copy, commit, wait
// Each thread requests a copy of one number, and reads that number itself. Two calls are missing in between: one puts
// the copies so far into a group, and one waits for groups. You need:
//     __pipeline_commit()          closes the group of the copies that this thread has issued since its last commit
//     __pipeline_wait_prior(N)     waits until all groups of this thread but the N youngest are complete
#include "lab.h"

#include <cuda_pipeline.h>

constexpr int THREADS = 128;

__global__ void __launch_bounds__(THREADS) negate(const int* in, int* out) {
    __shared__ int tile[THREADS];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
    // TODO(1): make sure that the copy is complete.
    __pipeline_commit();
    __syncthreads();
    // END TODO(1)
    out[t] = -tile[t];
}

/// `in` and `out` are arrays of 128 integers in device memory.
void launch(const int* in, int* out, cudaStream_t stream) {
    negate<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
