// Drill 07.3: an arrival for copies.
// One warp copies, another one reads, and the barrier counts each of the 64 threads once. Let the copying warp arrive
// so that the phase cannot complete before its copies do. It need not wait for them itself.
#include "lab.h"

#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

constexpr int WARP = 32;
constexpr int THREADS = 2 * WARP;

__device__ void wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
    while (!__mbarrier_test_wait(barrier, token))
        ;
}

// You need:
//     __pipeline_arrive_on(&b);     adds one expected arrival; it is made when this thread's copies are complete
//     __mbarrier_arrive(&b);        one of the arrivals that were expected from the beginning
__global__ void __launch_bounds__(THREADS) prefix_pairs(const int* in, int* out) {
    __shared__ int tile[WARP];
    __shared__ __mbarrier_t full;
    const int lane = threadIdx.x % WARP;
    if (threadIdx.x == 0)
        __mbarrier_init(&full, THREADS);
    __syncthreads();

    if (threadIdx.x < WARP) {
        __pipeline_memcpy_async(&tile[lane], in + lane, sizeof(int));
        // TODO(1): arrive: for the copy, and for this thread.
        __pipeline_arrive_on(&full);
        __mbarrier_arrive(&full);
        // END TODO(1)
    } else {
        wait(&full, __mbarrier_arrive(&full));
        out[lane] = tile[lane] + (lane == 0 ? 0 : tile[lane - 1]);
    }
}

/// `in` and `out` are arrays of 32 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    prefix_pairs<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
