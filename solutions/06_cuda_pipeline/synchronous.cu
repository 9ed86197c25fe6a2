// Lab 06 without asynchronous copies, for comparison: ./lab bench 06. A tile goes through registers; a thread issues
// all its loads at once. The grid and the tiles are those of the lab.
#include "lab.h"

#include <algorithm>

constexpr int THREADS = 256;
constexpr int LOADS = 2; // of 16 bytes per thread
constexpr int TILE = THREADS * LOADS * 4;

__device__ uint4 load(const uint32_t* in, int i, int n) {
    if (i + 3 < n)
        return *reinterpret_cast<const uint4*>(&in[i]);
    return {i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0};
}

__global__ void __launch_bounds__(THREADS) sum(const uint32_t* in, uint32_t* total, int n) {
    __shared__ alignas(16) uint32_t tile[TILE];
    uint32_t sum = 0;
    for (int begin = blockIdx.x * TILE; begin < n; begin += gridDim.x * TILE) {
        uint4 loaded[LOADS];
        for (int l = 0; l < LOADS; ++l)
            loaded[l] = load(in, begin + 4 * (l * THREADS + threadIdx.x), n);
        for (int l = 0; l < LOADS; ++l)
            *reinterpret_cast<uint4*>(&tile[4 * (l * THREADS + threadIdx.x)]) = loaded[l];
        __syncthreads();
        for (int l = 0; l < LOADS; ++l) {
            const uint4 x = *reinterpret_cast<const uint4*>(&tile[4 * (l * THREADS + threadIdx.x)]);
            sum += x.x + x.y + x.z + x.w;
        }
        __syncthreads();
    }
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
}

/// All scopes do the same.
cudaError_t launch(const uint32_t* in, uint32_t* total, int n, int, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int grid = std::clamp((n + TILE - 1) / TILE, 1, 2 * sms);
    cudaMemsetAsync(total, 0, sizeof(*total), stream);
    sum<<<grid, THREADS, 0, stream>>>(in, total, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
