// expect: missing-wait
// The copy without the wait.
#include "lab.h"

constexpr int THREADS = 128;

// You need:
//     cp.async.cg.shared.global [dst], [src], 16;     dst: 32-bit shared address, src: 64-bit pointer
//     cp.async.wait_all;                              waits for all copies of this thread
// and for inline PTX:
//     asm volatile("… [%0], [%1] …" ::"r"(a 32-bit value), "l"(a 64-bit value) : "memory");
__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__global__ void __launch_bounds__(THREADS) reverse_fours(const uint32_t* in, uint32_t* out) {
    __shared__ alignas(16) uint32_t tile[4 * THREADS];
    uint32_t* const mine = &tile[4 * threadIdx.x];
    const uint32_t* const from = in + 4 * threadIdx.x;

    // TODO(1): copy 16 bytes from `from` to `mine` with one cp.async, and wait for it.
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(mine)), "l"(from) : "memory");
    // END TODO(1)

    for (int j = 0; j < 4; ++j)
        out[4 * threadIdx.x + j] = mine[3 - j];
}

/// `in` and `out` are 16-byte aligned arrays of 512 numbers.
void launch(const uint32_t* in, uint32_t* out, cudaStream_t stream) {
    reverse_fours<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
