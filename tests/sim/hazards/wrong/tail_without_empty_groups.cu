// At the end no groups follow, and waiting for all but two leaves those that are needed.
// says: A wait for all but the 2 youngest groups leaves group 7 of 8 pending: only 1 group has been committed after it.
#include <cuda_pipeline_primitives.h>

__device__ int in[8][64], out[8][64];

__global__ void prefetch() {
    __shared__ int tile[3][64];
    const int i = threadIdx.x;
    for (int t = 0; t < 2; ++t) {
        __pipeline_memcpy_async(&tile[t][i], &in[t][i], sizeof(int));
        __pipeline_commit();
    }
    for (int t = 0; t < 8; ++t) {
        if (t + 2 < 8) {
            __pipeline_memcpy_async(&tile[(t + 2) % 3][i], &in[t + 2][i], sizeof(int)); // other
            __pipeline_commit();
        }
        __pipeline_wait_prior(2); // other
        out[t][i] = tile[t % 3][i]; // error: read-before-completion
    }
}

int main() {
    prefetch<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/tail_with_empty_groups
Empty groups count: all but the two youngest is always the tile that is needed.

-        if (t + 2 < 8) {
+        if (t + 2 < 8)

-        }
*/
