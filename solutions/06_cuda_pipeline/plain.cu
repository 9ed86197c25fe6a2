// Lab 06 without shared memory, for comparison: ./lab bench 06. Nothing is read twice, so each thread adds up vectors
// as it loads them; many warps hide the latency.
#include "lab.h"

#include <algorithm>

constexpr int THREADS = 256;

__global__ void __launch_bounds__(THREADS)
    sum(const uint4* in, const uint32_t* rest, uint32_t* total, int vectors, int n) {
    uint32_t sum = 0;
#pragma unroll 4
    for (int v = blockIdx.x * THREADS + threadIdx.x; v < vectors; v += gridDim.x * THREADS) {
        const uint4 x = __ldg(&in[v]);
        sum += x.x + x.y + x.z + x.w;
    }
    if (blockIdx.x == 0 && 4 * vectors + int(threadIdx.x) < n) // up to three are left
        sum += rest[4 * vectors + threadIdx.x];
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, sum);
}

/// All scopes do the same.
cudaError_t launch(const uint32_t* in, uint32_t* total, int n, int, cudaStream_t stream) {
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int grid = std::clamp(n / 4 / THREADS, 1, 8 * sms);
    cudaMemsetAsync(total, 0, sizeof(*total), stream);
    sum<<<grid, THREADS, 0, stream>>>(reinterpret_cast<const uint4*>(in), in, total, n / 4, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
