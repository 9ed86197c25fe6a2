// Prefetching in the shapes that programs use: a filled ring, a tail without new copies, the same API in two loops.
// Each copy names its line by the number of bytes that it zero-fills, so that the PTX itself says which call it is:
// "tag N".
#include <cuda_pipeline.h>

constexpr int width = 128;

__global__ void ring(const float4* __restrict__ in, const float4* __restrict__ in2, float* out) {
    __shared__ float4 a[4][width];
    __shared__ float4 b[4][width];
    int t = threadIdx.x;
    for (int i = 0; i < 3; ++i) {
        __pipeline_memcpy_async(&a[i][t], &in[i * width + t], 16, 1);  // tag 15
        __pipeline_memcpy_async(&b[i][t], &in2[i * width + t], 16, 2); // tag 14
        __pipeline_commit();
    }
    float s = 0;
    for (int i = 0; i < 16; ++i) {
        if (i + 3 < 16) {
            __pipeline_memcpy_async(&a[(i + 3) & 3][t], &in[(i + 3) * width + t], 16, 3);  // tag 13
            __pipeline_memcpy_async(&b[(i + 3) & 3][t], &in2[(i + 3) * width + t], 16, 4); // tag 12
        }
        __pipeline_commit();
        __pipeline_wait_prior(3);
        __syncthreads();
        s += a[i & 3][width - 1 - t].x * b[i & 3][width - 1 - t].y;
        __syncthreads();
    }
    out[t] = s;
}

__global__ void alternating(const float4* __restrict__ in, const float4* __restrict__ in2, float* out, int n) {
    __shared__ float4 a[2][width];
    int t = threadIdx.x;
    float s = 0;
#pragma unroll 4
    for (int i = 0; i < n; ++i) {
        __pipeline_memcpy_async(&a[0][t], &in[i * width + t], 16, 1); // tag 15
        if (i % 2 == 1)
            __pipeline_memcpy_async(&a[1][t], &in2[i * width + t], 16, 2); // tag 14
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        s += a[i & 1][width - 1 - t].x;
        __syncthreads();
    }
    out[t] = s;
}

__global__ void nested(const float4* __restrict__ in, const float4* __restrict__ in2, float* out, int n) {
    __shared__ float4 a[4][width];
    __shared__ float4 b[4][width];
    int t = threadIdx.x;
    float s = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < 4; ++j)
            __pipeline_memcpy_async(&a[j][t], &in[(i * 4 + j) * width + t], 16, 1); // tag 15
        for (int j = 0; j < 4; ++j)
            __pipeline_memcpy_async(&b[j][t], &in2[(i * 4 + j) * width + t], 16, 2); // tag 14
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        for (int j = 0; j < 4; ++j)
            s += a[j][width - 1 - t].x * b[j][width - 1 - t].x;
        __syncthreads();
    }
    out[t] = s;
}

__global__ void interleaved(const float4* __restrict__ in, float* out) {
    __shared__ float4 a[4][4][width];
    int t = threadIdx.x;
    float s = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        __pipeline_memcpy_async(&a[i][0][t], &in[t], 16, 1); // tag 15
        __pipeline_memcpy_async(&a[i][1][t], &in[t], 16, 2); // tag 14
        __pipeline_memcpy_async(&a[i][2][t], &in[t], 16, 3); // tag 13
        __pipeline_memcpy_async(&a[i][3][t], &in[t], 16, 4); // tag 12
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i)
        s += a[i][i][width - 1 - t].x;
    out[t] = s;
}
