// The barrier does not complete the copies of the threads that come to it.
#include <cuda_pipeline_primitives.h>

__device__ int data[64], out[64];

__global__ void reverse_in_place() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &data[i], sizeof(int)); // other
    __pipeline_commit();
    __syncthreads();
    data[63 - i] = i; // error: source-modified-in-flight
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

int main() {
    reverse_in_place<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/another_thread_writes_the_source_later
Everybody has waited for the own copies before the barrier.

     __pipeline_commit();
+    __pipeline_wait_prior(0);

-    __pipeline_wait_prior(0);
*/
