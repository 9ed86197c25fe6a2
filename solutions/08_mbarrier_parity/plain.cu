// Lab 08 without shared memory, for comparison: ./lab bench 08. A thread keeps its vectors in registers from the loads
// to the stores; many warps hide the latency.
#include "lab.h"

constexpr int THREADS = 256;
constexpr int LOADS = 2; // of 16 bytes per thread
constexpr int TILE = THREADS * LOADS * 4;

__device__ uint32_t swapped(uint32_t v) {
    return __byte_perm(v, 0, 0x0123);
}

__global__ void __launch_bounds__(THREADS) swap_bytes(const uint32_t* in, uint32_t* out, int n) {
    const int64_t begin = int64_t{blockIdx.x} * TILE;
    if (begin + TILE <= n) {
        const auto* from = reinterpret_cast<const uint4*>(&in[begin]) + threadIdx.x;
        auto* to = reinterpret_cast<uint4*>(&out[begin]) + threadIdx.x;
        uint4 x[LOADS];
        for (int l = 0; l < LOADS; ++l)
            x[l] = from[l * THREADS];
        for (int l = 0; l < LOADS; ++l)
            to[l * THREADS] = {swapped(x[l].x), swapped(x[l].y), swapped(x[l].z), swapped(x[l].w)};
    } else {
        for (int64_t i = begin + threadIdx.x; i < n; i += THREADS)
            out[i] = swapped(in[i]);
    }
}

cudaError_t launch(const uint32_t* in, uint32_t* out, int n, cudaStream_t stream) {
    if (n > 0)
        swap_bytes<<<(n - 1) / TILE + 1, THREADS, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
