// expect: missing-barrier-after-wait
// The other half of the data belongs to another warp.
#include <cuda_pipeline_primitives.h>

__device__ int in[128], out[128];

__global__ void reverse_in_warps() {
    __shared__ int tile[128];
    const int i = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
        out[i] = tile[127 - i];
        __syncthreads();
    }
}

int main() {
    reverse_in_warps<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
