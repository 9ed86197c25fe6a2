// expect: missing-wait
// Arriving is not waiting.
// Drill 02.2: which wait completes a copy?
// Each thread requests an asynchronous copy of one number and binds it to the barrier `staged`: a phase cannot complete
// until the copies bound to it are complete. Then the block meets at __syncthreads(), which knows nothing about copies.
// Wait at the barrier that does.
//     staged.arrive_and_wait()    returns when all threads have arrived and all copies are complete
#include "lab.h"

#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int THREADS = 128;

__global__ void __launch_bounds__(THREADS) reverse(const int* in, int* out) {
    __shared__ int tile[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier staged;
    const int t = threadIdx.x;
    if (t == 0)
        init(&staged, THREADS); // the number of threads that arrive; copies are not counted
    __syncthreads();

    cuda::memcpy_async(&tile[t], &in[t], cuda::aligned_size_t<4>(sizeof(int)), staged);
    // TODO(1): wait for all threads and all copies.
    (void)staged.arrive();
    __syncthreads();
    // END TODO(1)
    out[t] = tile[THREADS - 1 - t];
}

/// `in` and `out` are arrays of 128 integers in device memory.
void launch(const int* in, int* out, cudaStream_t stream) {
    reverse<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
