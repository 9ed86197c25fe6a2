#include <cuda_pipeline.h>

__global__ void four_tiles(const int* in, int* out) {
    __shared__ int tile[4][64];
    const int t = threadIdx.x;
    for (int k = 0; k < 4; ++k) {
        __pipeline_memcpy_async(&tile[k][t], &in[64 * k + t], sizeof(int));
        if (k != 1)
            __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    int sum = tile[0][t];
    sum += tile[1][t];
    sum += tile[2][t];
    sum += tile[3][t];
    out[t] = sum;
}

int main() {
    int* memory;
    cudaMalloc(&memory, 320 * sizeof(int));
    cudaMemset(memory, 0, 320 * sizeof(int));
    four_tiles<<<1, 64>>>(memory, memory + 256);
    cudaDeviceSynchronize();
}
