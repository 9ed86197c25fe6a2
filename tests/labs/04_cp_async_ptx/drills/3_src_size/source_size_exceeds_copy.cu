// expect: source-size-exceeds-copy
// Beyond the end, n - first is negative: as a src-size, that is a huge number.
#include "lab.h"

constexpr int THREADS = 128;

// Reads the first `bytes` bytes, 0 … 16, and writes 16: the rest are zeros.
__device__ void copy_16(void* shared, const void* global, int bytes) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(global), "r"(bytes)
                 : "memory");
}

__global__ void __launch_bounds__(THREADS) sum_fours(const uint32_t* in, uint32_t* out, int n) {
    __shared__ alignas(16) uint32_t tile[4 * THREADS];
    uint32_t* const mine = &tile[4 * threadIdx.x];
    const int first = 4 * (blockIdx.x * THREADS + threadIdx.x); // this thread's numbers: in[first] … in[first + 3]

    // TODO(1): the number of bytes to read: in[n - 1] is the last number.
    const int bytes = 4 * min(n - first, 4);
    // END TODO(1)

    copy_16(mine, in + first, bytes);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[first / 4] = mine[0] + mine[1] + mine[2] + mine[3];
}

/// `in` is a 16-byte aligned array of n numbers. `out` has one sum for each thread: 128 for each 512 numbers begun.
void launch(const uint32_t* in, uint32_t* out, int n, cudaStream_t stream) {
    sum_fours<<<(n + 4 * THREADS - 1) / (4 * THREADS), THREADS, 0, stream>>>(in, out, n);
}

LAB_ENTRY(launch)
