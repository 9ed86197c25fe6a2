// expect: missing-barrier-after-wait
// The reader is in another warp.
#include "lab.h"

constexpr int THREADS = 256;

// The copy of one number, in a group of its own.
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

__global__ void __launch_bounds__(THREADS) mirror(const float* in, float* out) {
    __shared__ float row[THREADS];
    const int t = threadIdx.x;
    copy_4(&row[t], in + blockIdx.x * THREADS + t);

    // TODO(1): now every thread may read the whole row.
    wait_group<0>();
    __syncwarp();
    // END TODO(1)

    out[blockIdx.x * THREADS + t] = row[THREADS - 1 - t];
}

/// `in` and `out` are arrays of 256 numbers for each block.
void launch(const float* in, float* out, int blocks, cudaStream_t stream) {
    mirror<<<blocks, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
