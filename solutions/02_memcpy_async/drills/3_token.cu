// Drill 02.3: arrive now, wait later
// Two tiles are copied, each with a barrier of its own. arrive_and_wait() directly after the first copy delays the
// second one. Split it: arrive after each copy, and wait for a tile only before it is read. You need:
//     auto token = bar.arrive();      arrives; the token stands for the phase in which the thread has arrived
//     bar.wait(std::move(token));     returns when all threads have arrived in that phase and its copies are complete
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/barrier>
#include <utility>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int THREADS = 64;
constexpr auto TILE_BYTES = cuda::aligned_size_t<16>(THREADS * sizeof(int));

__global__ void __launch_bounds__(THREADS) reverse_tiles(const int* in, int* out) {
    __shared__ alignas(16) int a[THREADS];
    __shared__ alignas(16) int b[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier a_staged, b_staged;
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0) {
        init(&a_staged, THREADS);
        init(&b_staged, THREADS);
    }
    __syncthreads();

    cuda::memcpy_async(block, a, in, TILE_BYTES, a_staged);
    // TODO(1): arrive on `a_staged`, and keep the token.
    auto a_token = a_staged.arrive();
    // END TODO(1)
    cuda::memcpy_async(block, b, in + THREADS, TILE_BYTES, b_staged);
    // TODO(2): the same for `b_staged`.
    auto b_token = b_staged.arrive();
    // END TODO(2)

    // TODO(3): wait for the first tile.
    a_staged.wait(std::move(a_token));
    // END TODO(3)
    out[t] = a[THREADS - 1 - t];
    // TODO(4): wait for the second tile.
    b_staged.wait(std::move(b_token));
    // END TODO(4)
    out[THREADS + t] = b[THREADS - 1 - t];
}

/// `in` and `out` are arrays of 128 integers in device memory, 16-byte aligned.
void launch(const int* in, int* out, cudaStream_t stream) {
    reverse_tiles<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
