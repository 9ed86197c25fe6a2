// cuda::memcpy_async on a cuda::barrier: one phase covers the copy and orders the threads.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int THREADS = 64;

__device__ alignas(16) int in[THREADS];
__device__ int out[THREADS];

__global__ void reverse() {
    const auto block = cooperative_groups::this_thread_block();
    __shared__ alignas(16) int tile[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier bar;
    if (threadIdx.x == 0)
        init(&bar, THREADS);
    __syncthreads();
    cuda::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(sizeof tile), bar);
    bar.arrive_and_wait();
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

int main() {
    int host[THREADS];
    for (int i = 0; i < THREADS; ++i)
        host[i] = i;
    cudaMemcpyToSymbol(in, host, sizeof host);
    reverse<<<1, THREADS>>>();
    cudaMemcpyFromSymbol(host, out, sizeof host);
    for (int i = 0; i < THREADS; ++i)
        if (host[i] != THREADS - 1 - i)
            return 1;
    std::puts("right");
}
