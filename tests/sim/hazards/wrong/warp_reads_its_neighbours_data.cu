// The other half of the data belongs to another warp.
#include <cuda_pipeline_primitives.h>

__device__ int in[128], out[128];

__global__ void reverse_in_warps() {
    __shared__ int tile[128];
    const int i = threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int)); // other
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
        out[i] = tile[127 - i]; // error: missing-barrier-after-wait
        __syncthreads();
    }
}

int main() {
    reverse_in_warps<<<1, 128>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/warp_stages_its_own_data
Each warp stages and reads a part of its own: __syncwarp() is enough.

-        out[i] = tile[127 - i];
-        __syncthreads();
+        out[i] = tile[i ^ 31];
+        __syncwarp();
*/
