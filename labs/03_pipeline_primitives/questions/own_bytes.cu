#include <cuda_pipeline.h>

__device__ int in[64], out[64];

__global__ void shift() {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[(threadIdx.x + OFFSET) % 64];
}

int main() {
    shift<<<1, 64>>>();
    cudaDeviceSynchronize();
}
