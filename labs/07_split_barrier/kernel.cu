// Lab 07: delta decoding with a barrier in two halves. One warp copies, the others decode.
// out[i] is the sum of in[b] … in[i], where b is the largest multiple of ROW that is not larger than i.
#include "lab.h"

#include <algorithm>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

constexpr int CONSUMER_WARPS = 4;          // warps, plus one producer warp
constexpr int ROW = 4 * 32;                // samples that a warp decodes at a time: four per lane
constexpr int TILE = CONSUMER_WARPS * ROW; // 2 KiB
constexpr int STAGES = 4;
constexpr int THREADS = 32 * (CONSUMER_WARPS + 1);

// Copies 16 bytes asynchronously. Only the first `valid` bytes are read; the rest become zeros.
__device__ void copy_16(void* shared, const void* global, int valid) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(destination), "l"(global), "r"(valid)
                 : "memory");
}

__device__ void wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
#if __CUDA_ARCH__ >= 900
    while (!__mbarrier_try_wait(barrier, token, 1'000'000)) // suspends the thread, for a millisecond at most
#else
    while (!__mbarrier_test_wait(barrier, token))
#endif
        ;
}

// Returns the running sum of the warp's samples.
__device__ uint4 running_sum(uint4 x, int lane) {
    x.y += x.x, x.z += x.y, x.w += x.z;
    uint32_t sum = x.w;
    for (int distance = 1; distance < 32; distance *= 2) {
        const uint32_t below = __shfl_up_sync(~0u, sum, distance);
        sum += lane >= distance ? below : 0;
    }
    const uint32_t before = sum - x.w;
    return {x.x + before, x.y + before, x.z + before, x.w + before};
}

// Stores out[i] … out[i + 3], as far as they exist.
__device__ void store(uint32_t* out, int i, int n, uint4 x) {
    const uint32_t y[4] = {x.x, x.y, x.z, x.w};
    if (i + 3 < n)
        *reinterpret_cast<uint4*>(&out[i]) = x;
    else
        for (int j = 0; j < 4 && i + j < n; ++j)
            out[i + j] = y[j];
}

__global__ void __launch_bounds__(THREADS) decode(const uint32_t* in, uint32_t* out, int n) {
    __shared__ alignas(16) uint32_t ring[STAGES][TILE];
    __shared__ __mbarrier_t empty[STAGES]; // all threads arrive: consumers when they have read the stage
    __shared__ __mbarrier_t full[STAGES];  // all threads arrive: producers when their copies are complete
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    // TODO(1): how many arrivals complete a phase? From when on may other threads use the barriers?
    if (threadIdx.x < STAGES) { // placeholder
        __mbarrier_init(&empty[threadIdx.x], 1);
        __mbarrier_init(&full[threadIdx.x], 1);
    }
    // END TODO(1)

    if (warp == CONSUMER_WARPS) { // the producer
        for (int k = 0, first = blockIdx.x * TILE; first < n; ++k, first += gridDim.x * TILE) {
            const int stage = k % STAGES;
            // TODO(2): wait until the stage is empty.
            // END TODO(2)
            for (int e = 4 * lane; e < TILE; e += ROW)
                copy_16(&ring[stage][e], in + first + e, 4 * min(max(n - first - e, 0), 4));
            // TODO(3): arrive so that the phase cannot complete before the copies do.
            // END TODO(3)
        }
    } else {
        // TODO(4): nothing has been filled yet, so every stage is empty.
        // END TODO(4)
        for (int k = 0, first = blockIdx.x * TILE; first < n; ++k, first += gridDim.x * TILE) {
            const int stage = k % STAGES, e = warp * ROW + 4 * lane;
            // TODO(5): wait until the stage is full. Release it when x is in registers: decoding needs no stage.
            const uint4 x = *reinterpret_cast<const uint4*>(&ring[stage][e]); // placeholder: full or not
            // END TODO(5)
            store(out, first + e, n, running_sum(x, lane));
        }
    }
}

/// `in` and `out` are 16-byte aligned arrays of n samples in device memory.
/// n is at most 2^31 - 2^22: the index of a block's next tile is an int, too.
cudaError_t launch(const uint32_t* in, uint32_t* out, int n, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int grid = std::min((n + TILE - 1) / TILE, 4 * sms); // persistent blocks: four per SM
    if (grid > 0)
        decode<<<grid, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
