// __syncthreads() orders one block only.
#include <cooperative_groups.h>

__device__ int middle[256], out[256];

__global__ void reverse() {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    middle[i] = i; // other
    __syncthreads();
    out[i] = middle[255 - i]; // error: read-after-write-race
}

int main() {
    return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(reverse), 4, 64, nullptr) + cudaDeviceSynchronize();
}

/*
== clean/grid_sync
Grid-wide synchronisation orders all blocks.

-    __syncthreads();
+    cooperative_groups::this_grid().sync();
*/
