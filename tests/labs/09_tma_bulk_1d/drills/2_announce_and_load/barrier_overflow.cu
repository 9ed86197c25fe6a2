// expect: barrier-overflow
// Drill 09.2: announce, then load
// The first bulk copy of your own. Thread 0 announces the bytes of the row and issues the copy; all threads already
// wait. You need these two calls:
//
// - ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, bytes);
// - ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to_shared, from_global, bytes, &barrier);
//
// The first also makes the one arrival that `full` expects.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

constexpr int COLUMNS = 128;

// Each block reverses one row.
__global__ void __launch_bounds__(COLUMNS) reverse_rows(const int* in, int* out) {
    __shared__ alignas(16) int row[COLUMNS];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    const int* from = in + blockIdx.x * COLUMNS;
    if (t == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();

    // TODO(1): one thread loads the row.
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof row);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, row, from, sizeof row, &full);
    // END TODO(1)
    wait(&full, 0);
    out[blockIdx.x * COLUMNS + t] = row[COLUMNS - 1 - t];
}

/// `in` and `out` are 16-byte aligned matrices of `rows` rows of 128 integers.
void launch(const int* in, int* out, int rows, cudaStream_t stream) {
    reverse_rows<<<rows, COLUMNS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
