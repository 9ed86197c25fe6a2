// Four lanes copy a word each and wait for their own; one reads all four.
// says: The thread that issued the copy has waited for it, but nothing orders that wait before this access. A wait covers only the copies of the thread that executes it.
#include <cuda_pipeline_primitives.h>

__device__ int in[32], out[32];

__global__ void exchange() {
    __shared__ alignas(16) int tile[32];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int)); // other
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (i % 4 == 3) {
        const int4 four = *reinterpret_cast<const int4*>(&tile[i - 3]); // error: missing-barrier-after-wait
        out[i] = four.x + four.y + four.z + four.w;
    }
}

int main() {
    exchange<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/copies_of_words_read_as_a_vector_after_syncwarp
Four lanes copy a word each, wait for their own, and meet before one reads all four.

     __pipeline_wait_prior(0);
+    __syncwarp();
*/
