// expect: early-phase
// Drill 09.7: a C++ barrier with bytes
// The same load with a cuda::barrier. `cuda::device::memcpy_async_tx` is always a bulk copy and announces nothing
// itself. Announce the bytes with the arrival, and let all threads wait by parity, through the native handle and
// cuda::ptx:
//
// - cuda::device::barrier_arrive_tx(barrier, arrivals, bytes), which returns a token that is not needed here
// - uint64_t* cuda::device::barrier_native_handle(barrier)
// - bool ptx::mbarrier_try_wait_parity(handle, parity)
#include "lab.h"

#include <cuda/barrier>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int TILE = 128;

__global__ void __launch_bounds__(TILE) differences(const int* in, int* out) {
    __shared__ alignas(16) int tile[TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier full;
    const int t = threadIdx.x;
    if (t == 0)
        init(&full, 1); // thread 0 alone arrives
    __syncthreads();

    if (t == 0) {
        cuda::device::memcpy_async_tx(tile, in + blockIdx.x * TILE, cuda::aligned_size_t<16>(sizeof tile), full);
        // TODO(1): arrive once, and announce the bytes.
        (void)full.arrive(); // memcpy_async_tx does not announce its bytes
        // END TODO(1)
    }
    // TODO(2): every thread waits for the phase of parity 0.
    uint64_t* const handle = cuda::device::barrier_native_handle(full);
    while (!ptx::mbarrier_try_wait_parity(handle, 0))
        ;
    // END TODO(2)
    out[blockIdx.x * TILE + t] = tile[(t + 1) % TILE] - tile[t];
}

/// `in` and `out` are 16-byte aligned arrays of 128 * tiles integers.
void launch(const int* in, int* out, int tiles, cudaStream_t stream) {
    differences<<<tiles, TILE, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
