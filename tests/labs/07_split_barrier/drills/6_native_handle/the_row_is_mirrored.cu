// expect: case "the row is mirrored"
// Right, but the threads wait for their own copies.
#include "lab.h"

#include <cuda/barrier>
#include <cuda_pipeline_primitives.h>
#pragma nv_diag_suppress static_var_with_dynamic_init // init initialises the barrier

constexpr int THREADS = 64;

// You need:
//     uint64_t* cuda::device::barrier_native_handle(bar)     the mbarrier inside a cuda::barrier
//     __pipeline_arrive_on(mbarrier)                         adds an arrival for this thread's copies
__global__ void __launch_bounds__(THREADS) mirror(const int* in, int* out) {
    __shared__ int row[THREADS];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    const int t = threadIdx.x;
    if (t == 0)
        init(&bar, THREADS);
    __syncthreads();

    __pipeline_memcpy_async(&row[t], in + t, sizeof(int));
    // TODO(1): bind this thread's copy to the phase of `bar`.
    __pipeline_commit();
    __pipeline_wait_prior(0);
    // END TODO(1)
    bar.arrive_and_wait();
    out[t] = row[THREADS - 1 - t];
}

/// `in` and `out` are arrays of 64 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    mirror<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
