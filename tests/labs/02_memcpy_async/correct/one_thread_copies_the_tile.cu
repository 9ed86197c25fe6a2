// Thread 0 starts all wide copies: hundreds of one thread are in flight at once.
#include "lab.h"

#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int THREADS = 256, TILE = 1024, RADIUS = 3;
constexpr int FRONT = 4; // room for the left halo; the tile itself then begins on a 16-byte boundary

/// Tile and halo in shared memory: centre()[t] is in[begin + t] for t in [-RADIUS, TILE + RADIUS).
struct alignas(16) Window {
    float elements[FRONT + TILE + RADIUS];
    __device__ float* centre() { return elements + FRONT; }
};

/// How many elements of the tile may travel 16 bytes at a time: whole groups of four, and none at all if the input
/// does not lie on a 16-byte boundary. The others (halo, ragged end) travel 4 bytes at a time.
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

/// cuda::memcpy_async binds each copy to a barrier: the current phase of the barrier waits for it, too.
__global__ void __launch_bounds__(THREADS) stencil_barrier(const float* in, float* out, int n) {
    __shared__ Window window;
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier staged;
    const auto block = cg::this_thread_block();
    float* const centre = window.centre();

    if (threadIdx.x == 0)
        init(&staged, THREADS);
    __syncthreads();

    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        const int wide = wide_part(in, begin, n);
        const int end = min(TILE, n - begin) + RADIUS;
        if (threadIdx.x == 0)
            cuda::memcpy_async(centre, in + begin, cuda::aligned_size_t<16>(wide * sizeof(float)), staged);
        for (int k = threadIdx.x; k < RADIUS + end - wide; k += THREADS) {
            const int t = k < RADIUS ? k - RADIUS : wide + k - RADIUS;
            if (0 <= begin + t && begin + t < n)
                cuda::memcpy_async(&centre[t], &in[begin + t], 4, staged);
            else
                centre[t] = 0.0f;
        }

        staged.arrive_and_wait();

        compute(centre, out, begin, n);
        __syncthreads(); // everybody has read the window: the next tile may be staged in it
    }
}

/// cooperative_groups::memcpy_async has no barrier: each thread waits for the copies that it made, then for the others.
__global__ void __launch_bounds__(THREADS) stencil_group(const float* in, float* out, int n) {
    __shared__ Window window;
    const auto block = cg::this_thread_block();
    float* const centre = window.centre();

    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        const int wide = wide_part(in, begin, n);
        const int first = max(-RADIUS, -begin), last = min(TILE + RADIUS, n - begin); // [first, last) exists
        cg::memcpy_async(block, centre, in + begin, cuda::aligned_size_t<16>(wide * sizeof(float)));
        cg::memcpy_async(block, centre + first, in + begin + first, (0 - first) * sizeof(float));
        cg::memcpy_async(block, centre + wide, in + begin + wide, (last - wide) * sizeof(float));
        for (int t = -RADIUS + (int)threadIdx.x; t < TILE + RADIUS; t += THREADS)
            if (t < first || t >= last)
                centre[t] = 0.0f;

        cg::wait(block);

        compute(centre, out, begin, n);
        block.sync();
    }
}

enum class Way : int { barrier, group };

/// `in` and `out` are arrays of n floats in device memory. `in` lies on a 4-byte boundary, no more.
cudaError_t launch(Way way, const float* in, float* out, int n, cudaStream_t stream) {
    int sms = 0;
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    const int tiles = (n + TILE - 1) / TILE;
    const int blocks = std::min((tiles + 3) / 4, 8 * sms); // four tiles for each block, or more
    if (blocks > 0)
        (way == Way::barrier ? stencil_barrier : stencil_group)<<<blocks, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
