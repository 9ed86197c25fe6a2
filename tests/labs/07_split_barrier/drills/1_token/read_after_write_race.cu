// expect: read-after-write-race
// No wait: an arrival alone does not hold anybody up.
#include "lab.h"

#include <cuda/barrier>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init // init initialises the barrier

constexpr int THREADS = 128;

// You need:
//     auto token = bar.arrive();         this thread's part is done; the token names the phase
//     bar.wait(std::move(token));        returns when all threads have arrived in that phase
__global__ void __launch_bounds__(THREADS) exchange(const int* in, int* out) {
    __shared__ int given[THREADS];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    const int t = threadIdx.x;
    if (t == 0)
        init(&bar, THREADS);
    __syncthreads();

    given[t] = 3 * in[t];
    // TODO(1): arrive.
    auto token = bar.arrive();
    // END TODO(1)

    int own = in[t]; // work that needs nobody
    for (int i = 0; i < 8; ++i)
        own = own * own + 1;

    // TODO(2): wait.
    (void)token;
    // END TODO(2)
    out[t] = own + given[THREADS - 1 - t];
}

/// `in` and `out` are arrays of 128 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    exchange<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
