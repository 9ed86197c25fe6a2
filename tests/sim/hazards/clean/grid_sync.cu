// Grid-wide synchronisation orders all blocks.
#include <cooperative_groups.h>

__device__ int middle[256], out[256];

__global__ void reverse() {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    middle[i] = i;
    cooperative_groups::this_grid().sync();
    out[i] = middle[255 - i];
}

int main() {
    return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(reverse), 4, 64, nullptr) + cudaDeviceSynchronize();
}
