// expect: read-after-write-race
// __syncthreads() orders one block only.
#include <cooperative_groups.h>

__device__ int middle[256], out[256];

__global__ void reverse() {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    middle[i] = i;
    __syncthreads();
    out[i] = middle[255 - i];
}

int main() {
    return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(reverse), 4, 64, nullptr) + cudaDeviceSynchronize();
}
