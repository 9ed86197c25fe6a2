// Nothing keeps a fast thread from refilling what a slow one still reads.
#include <cuda_pipeline_primitives.h>

__device__ int in[8][64], out[8][64];

__global__ void unrolled() {
    __shared__ int tile[2][64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[0][i], &in[0][i], sizeof(int));
    __pipeline_commit();
#pragma unroll
    for (int t = 0; t < 8; ++t) {
        if (t + 1 < 8)
            __pipeline_memcpy_async(&tile[(t + 1) % 2][i], &in[t + 1][i], sizeof(int)); // error: refill-while-read
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[t][i] = tile[t % 2][63 - i]; // other
    }
}

int main() {
    unrolled<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/unrolled_loop
The compiler unrolls the loop and moves loads of later rounds in front of stores of earlier ones; barriers stay.

         out[t][i] = tile[t % 2][63 - i];
+        __syncthreads();
*/
