#include <cuda_pipeline.h>

__global__ void fetch(const int* in, int* out) {
    __shared__ int tile[2][64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][t], &in[t], sizeof(int));
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[1][t], &in[64 + t], sizeof(int));
    __pipeline_wait_prior(0);
    out[t] = tile[0][t];
    out[64 + t] = tile[1][t];
}

int main() {
    int* memory;
    cudaMalloc(&memory, 256 * sizeof(int));
    cudaMemset(memory, 0, 256 * sizeof(int));
    fetch<<<1, 64>>>(memory, memory + 128);
    cudaDeviceSynchronize();
}
