// expect: case "the first wait leaves two copies in flight"
// The first wait waits for everything.
// Drill 02.6: copies of a group of threads
// cg::memcpy_async needs no barrier object: the block copies together, and each call commits its copies as a group of
// their own. cg::wait_prior<N>(block) waits for all calls but the last N, and cg::wait(block) for all; both also let
// the block meet. Wait for no more than the next line needs.
#include "lab.h"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) mirror(const int* in, int* out) {
    __shared__ int a[THREADS], b[THREADS], c[THREADS];
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    cg::memcpy_async(block, a, in, sizeof(a));
    cg::memcpy_async(block, b, in + THREADS, sizeof(b));
    cg::memcpy_async(block, c, in + 2 * THREADS, sizeof(c));

    // TODO(1): wait for `a`, but not for the others.
    cg::wait(block);
    // END TODO(1)
    out[t] = a[THREADS - 1 - t];

    // TODO(2): wait for `b` and `c`.
    cg::wait(block);
    // END TODO(2)
    out[THREADS + t] = b[THREADS - 1 - t] + c[THREADS - 1 - t];
}

/// `in`: 192 integers, `out`: 128 integers, in device memory.
void launch(const int* in, int* out, cudaStream_t stream) {
    mirror<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
