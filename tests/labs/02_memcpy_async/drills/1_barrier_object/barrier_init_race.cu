// expect: barrier-init-race
// The other threads may use the barrier before it is initialised.
// Drill 02.1: a barrier that you can name
// `meet` does what __syncthreads() does, but it is an object in shared memory. Each use, from the first arrival until
// all threads have arrived, is called a phase; when a phase completes, the next one begins by itself. Before the first
// use, one thread has to say how many arrivals complete a phase, and the others have to know that it has. You need:
//     init(&meet, count)        by one thread
//     meet.arrive_and_wait()    arrives, and returns when the phase is complete (used below)
#include "lab.h"

#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int COLUMNS = 128; // one thread for each

__global__ void __launch_bounds__(COLUMNS) reverse_doubled(const int* in, int* out, int rows) {
    __shared__ int row[COLUMNS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier meet;
    const int t = threadIdx.x;

    // TODO(1): initialise `meet`. No thread may use it before that.
    if (t == 0)
        init(&meet, COLUMNS);
    // END TODO(1)

    for (int r = 0; r < rows; ++r) {
        row[t] = 2 * in[r * COLUMNS + t];
        meet.arrive_and_wait(); // the row has been written
        out[r * COLUMNS + t] = row[COLUMNS - 1 - t];
        meet.arrive_and_wait(); // the row has been read
    }
}

/// `in` and `out` are arrays of rows · 128 integers in device memory.
void launch(const int* in, int* out, int rows, cudaStream_t stream) {
    reverse_doubled<<<1, COLUMNS, 0, stream>>>(in, out, rows);
}

LAB_ENTRY(launch)
