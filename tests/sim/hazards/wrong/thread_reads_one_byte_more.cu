// The last element belongs to the next thread, who may not have it yet, or copy the next round already.
#include <cuda_pipeline_primitives.h>

__device__ alignas(16) int in[4][256], out[4][256];

__global__ void twice() {
    __shared__ alignas(16) int tile[256];
    const int i = 4 * threadIdx.x;
    for (int round = 0; round < 4; ++round) {
        __pipeline_memcpy_async(&tile[i], &in[round][i], 16); // other 1, error 2: refill-while-read
        __pipeline_commit();
        __pipeline_wait_prior(0); // note 4: no-overlap
        for (int k = 0; k < 4; ++k)
            out[round][i + k] = 2 * tile[(i + k + 1) % 256];
            // error 1: missing-barrier-after-wait, other 2, note 3: bank-conflict
    }
}

int main() {
    twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/thread_reads_its_own_bytes
A thread that reads only what it has copied itself needs a wait, and no barrier.

-            out[round][i + k] = 2 * tile[(i + k + 1) % 256];
+            out[round][i + k] = 2 * tile[i + k];
*/
