#include <cuda_pipeline.h>

constexpr int TILES = 4;

__device__ int in[TILES][64], out[TILES][64];

__global__ void negate() {
    __shared__ int buffers[2][64];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&buffers[0][t], &in[0][t], sizeof(int));
    __pipeline_commit();
    for (int tile = 0; tile < TILES; ++tile) {
        if (tile + 1 < TILES) {
            __pipeline_memcpy_async(&buffers[(tile + 1) % 2][t], &in[tile + 1][t], sizeof(int));
            __pipeline_commit();
        }
        __pipeline_wait_prior(PENDING);
        out[tile][t] = -buffers[tile % 2][t];
    }
}

int main() {
    negate<<<1, 64>>>();
    cudaDeviceSynchronize();
}
