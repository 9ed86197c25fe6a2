// expect: missing-barrier-after-wait
// A barrier of the warp does not order the other warps.
#include <cuda_pipeline_primitives.h>

__device__ alignas(16) int in[512], out[512];

__global__ void reverse() {
    __shared__ alignas(16) int tile[512];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * i], &in[4 * i], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    for (int k = i; k < 512; k += 128)
        out[k] = tile[511 - k];
}

int main() {
    reverse<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/tile_filled_by_several_warps
Every warp copies a part of the tile, waits for its own copies, and meets the others at a barrier.

-    __syncwarp();
+    __syncthreads();
*/
