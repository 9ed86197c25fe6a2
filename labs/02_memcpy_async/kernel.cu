// Lab 02: memcpy_async. The stencil of lab 01, staged asynchronously in two ways.
#include "lab.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int THREADS = 256, TILE = 1024, RADIUS = 3;
constexpr int FRONT = 4; // space for the left halo, so that the tile itself begins on a 16-byte boundary

/// Tile and halo in shared memory: centre()[t] is in[begin + t] for t in [-RADIUS, TILE + RADIUS).
struct alignas(16) Window {
    float elements[FRONT + TILE + RADIUS];
    __device__ float* centre() { return elements + FRONT; }
};

/// How many elements of the tile can be copied 16 bytes at a time: whole groups of four, or none if the input is not
/// 16-byte aligned. The other elements (halo, ragged end) are copied 4 bytes at a time.
__device__ int wide_part(const float* in, int begin, int n) {
    return reinterpret_cast<std::uintptr_t>(in) % 16 == 0 ? min(TILE, n - begin) / 4 * 4 : 0;
}

__device__ void compute(const float* centre, float* out, int begin, int n) {
    for (int t = threadIdx.x; t < TILE && begin + t < n; t += THREADS) {
        float sum = 0.0f;
        for (int d = -RADIUS; d <= RADIUS; ++d)
            sum += static_cast<float>(d + RADIUS + 1) * centre[t + d];
        out[begin + t] = sum;
    }
}

/// Called by each thread when it has read the window, before a barrier. On sm_90 and newer, a wide copy is a bulk copy,
/// which accesses memory through the async proxy: this orders the reads before it. Lab 09 explains why.
__device__ void window_is_read() {
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// cuda::memcpy_async binds each copy to a barrier: the current phase does not complete before the copy does.
__global__ void __launch_bounds__(THREADS) stencil_barrier(const float* in, float* out, int n) {
    __shared__ Window window;
#pragma nv_diagnostic push
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier staged;
#pragma nv_diagnostic pop
    const auto block = cg::this_thread_block();
    float* const centre = window.centre();

    // TODO(1): initialise `staged` for all threads of the block. No thread may use it before that.
    // END TODO(1)

    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        const int wide = wide_part(in, begin, n);
        const int end = min(TILE, n - begin) + RADIUS;
        // TODO(2): copy elements [0, wide) with one call that promises 16-byte alignment. Copy the halo, [-RADIUS, 0),
        // and the rest, [wide, end), one element at a time. Where there is no input, store a zero.
        for (int t = threadIdx.x; t < wide; t += THREADS)
            centre[t] = in[begin + t];
        for (int k = threadIdx.x; k < RADIUS + end - wide; k += THREADS) {
            const int t = k < RADIUS ? k - RADIUS : wide + k - RADIUS;
            centre[t] = 0 <= begin + t && begin + t < n ? in[begin + t] : 0.0f;
        }
        // END TODO(2)

        // TODO(3): wait until every thread has arrived and every copy is complete.
        // END TODO(3)

        compute(centre, out, begin, n);
        window_is_read();
        __syncthreads(); // the next tile may be staged
    }
}

/// cooperative_groups::memcpy_async has no barrier: each thread waits for its own copies, then for the other threads.
__global__ void __launch_bounds__(THREADS) stencil_group(const float* in, float* out, int n) {
    __shared__ Window window;
    const auto block = cg::this_thread_block();
    float* const centre = window.centre();

    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        const int wide = wide_part(in, begin, n);
        const int first = max(-RADIUS, -begin), last = min(TILE + RADIUS, n - begin); // [first, last) exists
        // TODO(4): the same with cg::memcpy_async: three copies by the whole block, and a few zeros. If the size is a
        // plain number, it promises no more alignment than the type of the pointer has: 4 bytes for float.
        for (int t = threadIdx.x; t < wide; t += THREADS)
            centre[t] = in[begin + t];
        for (int k = threadIdx.x; k < RADIUS + TILE + RADIUS - wide; k += THREADS) {
            const int t = k < RADIUS ? k - RADIUS : wide + k - RADIUS;
            centre[t] = first <= t && t < last ? in[begin + t] : 0.0f;
        }
        // END TODO(4)

        // TODO(5): wait for the copies and for the block.
        // END TODO(5)

        compute(centre, out, begin, n);
        block.sync();
    }
}

enum class Way : int { barrier, group };

/// `in` and `out` are arrays of n floats in device memory. `in` is only sure to be 4-byte aligned.
/// n is at most 2^31 - 2^22: the index of a block's next tile is an int, too.
cudaError_t launch(Way way, const float* in, float* out, int n, cudaStream_t stream) {
    const auto kernel = way == Way::barrier ? stencil_barrier : stencil_group;
    int device = 0, sms = 0, resident = 0; // blocks that an SM holds at a time
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, THREADS, 0);
    const int tiles = (n + TILE - 1) / TILE;
    const int blocks = std::min((tiles + 3) / 4, resident * sms); // at least four tiles per block
    if (blocks > 0)
        kernel<<<blocks, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
