// The barrier does not complete the copies of the threads that come to it.
#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void clear_the_rest() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int)); // other
    __pipeline_commit();
    __syncthreads();
    if (i >= 60)
        tile[i - 60] = 0; // error: write-before-completion
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = tile[i];
}

int main() {
    clear_the_rest<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/another_thread_writes_the_destination_later
Everybody has waited for the own copies before the barrier.

     __pipeline_commit();
+    __pipeline_wait_prior(0);

-    __pipeline_wait_prior(0);
*/
