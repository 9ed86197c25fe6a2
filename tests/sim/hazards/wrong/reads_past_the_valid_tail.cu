// Behind the last element nothing is copied, and yet it is read.
#include <cuda_pipeline_primitives.h>

__device__ int in[50], out[64];

__global__ void reverse(int n) {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    if (i < n)
        __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = tile[63 - i]; // error: uninitialised-read
}

int main() {
    reverse<<<1, 64>>>(50);
    return cudaDeviceSynchronize();
}

/*
== clean/zero_filled_tail
Behind the last element the copies write zeros (src-size 0) and read nothing.

-    if (i < n)
-        __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
+    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int), i < n ? 0 : sizeof(int));
*/
