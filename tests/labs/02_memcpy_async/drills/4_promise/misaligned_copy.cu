// expect: misaligned-copy
// The address of the third copy is aligned, but its size is not.
// Drill 02.4: what can you promise?
// cuda::aligned_size_t<A>(bytes) promises that both addresses and the size are multiples of A bytes. The copy may then
// be done in pieces of A bytes, and on sm_90 with A = 16 as a single bulk copy. A false promise is undefined behaviour.
// For each of the three copies, promise as much as is true: 16, 8 or 4.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int THREADS = 64;

__global__ void __launch_bounds__(THREADS) gather(const float* in, float* out) {
    __shared__ alignas(16) float a[64];
    __shared__ alignas(16) float b[64];
    __shared__ alignas(16) float c[64];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier staged;
    const auto block = cg::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0)
        init(&staged, THREADS);
    __syncthreads();

    // TODO(1): `in` is 16-byte aligned, and a float has 4 bytes.
    constexpr int A = 16, B = 8, C = 16;
    // END TODO(1)
    cuda::memcpy_async(block, a, in + 4, cuda::aligned_size_t<A>(64 * sizeof(float)), staged);
    cuda::memcpy_async(block, b, in + 70, cuda::aligned_size_t<B>(60 * sizeof(float)), staged);
    cuda::memcpy_async(block, c, in + 132, cuda::aligned_size_t<C>(63 * sizeof(float)), staged);
    staged.arrive_and_wait();

    out[t] = a[t];
    if (t < 60)
        out[64 + t] = b[t];
    if (t < 63)
        out[124 + t] = c[t];
}

/// `in`: 200 floats, `out`: 187 floats, in device memory. `in` is 16-byte aligned.
void launch(const float* in, float* out, cudaStream_t stream) {
    gather<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
