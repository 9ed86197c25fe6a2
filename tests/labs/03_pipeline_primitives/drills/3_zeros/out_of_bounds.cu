// expect: out-of-bounds
// Elements are counted instead of bytes.
// Drill 03.3: zeros instead of bytes that do not exist
// Each thread copies four integers with one copy of 16 bytes and adds them up. At the end of the input there are fewer
// than four. The fourth argument says how many *bytes* at the end of the destination become zeros and are not read:
//     __pipeline_memcpy_async(to, from, 16, zeros)
#include "lab.h"

#include <cuda_pipeline.h>

constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) sums_of_four(const int* in, int* out, int n) {
    __shared__ int4 tile[THREADS];
    const int t = threadIdx.x, group = blockIdx.x * THREADS + t;
    const int have = min(n - 4 * group, 4); // integers of this group that exist
    if (have <= 0)
        return;
    // TODO(1): how many bytes of the 16 are zeros?
    const int zeros = 4 - have;
    // END TODO(1)
    __pipeline_memcpy_async(&tile[t], &in[4 * group], 16, zeros);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[group] = tile[t].x + tile[t].y + tile[t].z + tile[t].w;
}

/// `in`: n integers, `out`: one integer for every four, in device memory.
void launch(const int* in, int* out, int n, cudaStream_t stream) {
    const int groups = (n + 3) / 4;
    sums_of_four<<<(groups + THREADS - 1) / THREADS, THREADS, 0, stream>>>(in, out, n);
}

LAB_ENTRY(launch)
