// Two calls on neighbouring lines, unrolled: each read's report names the call that copies its bytes.
#include <cuda_pipeline_primitives.h>

__device__ alignas(16) int in[2][4][64], out[2][4][64];

__global__ void copy() {
    __shared__ alignas(16) int a[4][64], b[4][64];
    const int i = threadIdx.x;
#pragma unroll 4
    for (int k = 0; k < 4; ++k) {
        __pipeline_memcpy_async(&a[k][i], &in[0][k][i], sizeof(int)); // other 1
        __pipeline_memcpy_async(&b[k][i], &in[1][k][i], sizeof(int)); // other 2
    }
    __pipeline_commit();
#pragma unroll 4
    for (int k = 0; k < 4; ++k) {
        out[0][k][i] = a[k][i]; // error 1: missing-wait
        out[1][k][i] = b[k][i]; // error 2: missing-wait
    }
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
