// expect: read-before-completion
// Drill 05.1: which N?
// Each thread copies three chunks asynchronously, one group each, and stores each chunk as soon as it has arrived.
// Choose N of the three waits: wait for as much as the next line needs, and no more.
#include "lab.h"

constexpr int THREADS = 128;

__device__ void copy_4(void* shared, const void* global) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n"
                 "cp.async.commit_group;" ::"r"(destination), "l"(global)
                 : "memory");
}

// Returns when at most the N youngest groups of this thread are incomplete.
template <int N>
__device__ void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__global__ void __launch_bounds__(THREADS) negate(const int* in, int* out) {
    __shared__ int chunk[3][THREADS];
    const int t = threadIdx.x;
    for (int i = 0; i < 3; ++i)
        copy_4(&chunk[i][t], in + i * THREADS + t);

    // TODO(1): put a number for N into each wait.
    constexpr int first = 2, second = 2, third = 2;
    // END TODO(1)

    wait_group<first>();
    out[0 * THREADS + t] = -chunk[0][t];
    wait_group<second>();
    out[1 * THREADS + t] = -chunk[1][t];
    wait_group<third>();
    out[2 * THREADS + t] = -chunk[2][t];
}

/// `in` and `out` are arrays of 384 integers.
void launch(const int* in, int* out, cudaStream_t stream) {
    negate<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
