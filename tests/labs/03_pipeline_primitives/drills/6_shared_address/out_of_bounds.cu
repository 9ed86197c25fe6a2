// expect: out-of-bounds
// The address is converted to the wrong space.
// Drill 03.6: an address in shared memory
// __pipeline_memcpy_async becomes one PTX instruction, cp.async, and this file issues it by hand. A C++ pointer is a
// *generic* address: each state space has a window in it. The instruction wants the address within the shared space.
// Convert it. You need:
//     size_t __cvta_generic_to_shared(const void* pointer)
#include "lab.h"

#include <cuda_pipeline.h>

constexpr int THREADS = 64;

__device__ void copy_4(void* shared, const void* global) {
    // TODO(1): the address of the destination within shared memory.
    const size_t destination = __cvta_generic_to_global(shared);
    // END TODO(1)
    // [%0]: destination in the shared space. [%1]: source in the global space, whose addresses are the generic ones.
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"l"(destination), "l"(global) : "memory");
}

__global__ void __launch_bounds__(THREADS) negate(const int* in, int* out) {
    __shared__ int tile[THREADS];
    const int t = threadIdx.x;
    copy_4(&tile[t], &in[t]);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = -tile[t];
}

/// `in` and `out` are arrays of 64 integers in device memory.
void launch(const int* in, int* out, cudaStream_t stream) {
    negate<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
