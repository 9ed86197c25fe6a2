// expect: deadlock
// An ordinary arrival counts in this phase, but the next one expects it again.
#include "lab.h"

#include <cuda/barrier>
#pragma nv_diag_suppress static_var_with_dynamic_init // init initialises the barrier

constexpr int THREADS = 128;

// You need:
//     bar.arrive_and_drop();     an arrival in this phase; later phases expect one arrival less
__global__ void __launch_bounds__(THREADS) tree_sum(const int* in, int* out) {
    __shared__ int part[THREADS];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    const int t = threadIdx.x;
    if (t == 0)
        init(&bar, THREADS);
    __syncthreads();

    part[t] = in[blockIdx.x * THREADS + t];
    for (int width = THREADS / 2; width > 0; width /= 2) {
        if (t >= width) {
            // TODO(1): part[t] is written, and thread t takes no further part.
            (void)bar.arrive();
            // END TODO(1)
            return;
        }
        bar.arrive_and_wait();
        part[t] += part[t + width];
    }
    out[blockIdx.x] = part[0];
}

/// `in` has 128 integers for each block, and `out` has one.
void launch(const int* in, int* out, int blocks, cudaStream_t stream) {
    tree_sum<<<blocks, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
