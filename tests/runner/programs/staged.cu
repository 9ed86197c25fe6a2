// One tile after the other through shared memory: SYNCHRONOUS copies through registers, else STAGES tiles are under way.
#include <cstdio>
#include <cuda_pipeline.h>

#ifndef STAGES
#define STAGES 2
#endif
constexpr int threads = 128, tiles = 12;

__global__ void staged(const float* in, float* out) {
    __shared__ float tile[STAGES][threads];
    const int t = threadIdx.x;
    auto fetch = [&](int number) {
#ifdef SYNCHRONOUS
        tile[number % STAGES][t] = in[number * threads + t];
#else
        if (number < tiles)
            __pipeline_memcpy_async(&tile[number % STAGES][t], &in[number * threads + t], 4);
        __pipeline_commit();
#endif
    };
#ifndef SYNCHRONOUS
    for (int number = 0; number < STAGES - 1; ++number)
        fetch(number);
#endif
    float sum = 0;
    for (int number = 0; number < tiles; ++number) {
#ifdef SYNCHRONOUS
        fetch(number);
#else
        fetch(number + STAGES - 1);
        __pipeline_wait_prior(STAGES - 1);
#endif
        __syncthreads();
        for (int i = 0; i < 16; ++i)
            sum = sum * 0.5f + tile[number % STAGES][(t + i) % threads];
        __syncthreads();
    }
    out[blockIdx.x * threads + t] = sum;
}

int main() {
    float *in, *out;
    cudaMalloc(&in, tiles * threads * sizeof(float));
    cudaMalloc(&out, 2 * threads * sizeof(float));
    cudaMemset(in, 0, tiles * threads * sizeof(float));
    staged<<<2, threads>>>(in, out);
    return cudaDeviceSynchronize();
}
