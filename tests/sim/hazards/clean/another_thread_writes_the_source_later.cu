// Everybody has waited for the own copies before the barrier.
#include <cuda_pipeline_primitives.h>

__device__ int data[64], out[64];

__global__ void reverse_in_place() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &data[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    data[63 - i] = i;
    out[i] = tile[i];
}

int main() {
    reverse_in_place<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
