// expect: read-after-write-race
// A fence orders memory accesses but waits for nobody.
// Drill 01.1: two barriers
// One block reverses each row of 128 numbers, and stages all rows in the same place. Put a barrier wherever a thread
// depends on what other threads have done: before it reads what they stored, and before it overwrites what they read.
//     __syncthreads()     no thread continues until all threads of the block have arrived
#include "lab.h"

constexpr int COLUMNS = 128; // one thread for each

__global__ void __launch_bounds__(COLUMNS) reverse_rows(const int* in, int* out, int rows) {
    __shared__ int row[COLUMNS];
    const int t = threadIdx.x;
    for (int r = 0; r < rows; ++r) {
        row[t] = in[r * COLUMNS + t];
        // TODO(1): a thread is about to read what another thread stores.
        __threadfence_block();
        // END TODO(1)
        out[r * COLUMNS + t] = row[COLUMNS - 1 - t];
        // TODO(2): in the next round, a thread overwrites what another thread reads.
        __syncthreads();
        // END TODO(2)
    }
}

/// `in` and `out` are arrays of rows · 128 integers in device memory.
void launch(const int* in, int* out, int rows, cudaStream_t stream) {
    reverse_rows<<<1, COLUMNS, 0, stream>>>(in, out, rows);
}

LAB_ENTRY(launch)
