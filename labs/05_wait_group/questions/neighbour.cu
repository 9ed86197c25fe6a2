#include <cuda_pipeline.h>

__global__ void shift(const int* in, int* out) {
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[(threadIdx.x + 1) % 64];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 128 * sizeof(int));
    cudaMemset(memory, 0, 128 * sizeof(int));
    shift<<<1, 64>>>(memory, memory + 64);
    cudaDeviceSynchronize();
}
