// Of four lanes that fill 16 bytes, one does not fence its word before the bulk store reads it.
#include <cstdint>

__device__ alignas(16) int out[32];

__global__ void exchange() {
    __shared__ alignas(16) int tile[32];
    const int i = threadIdx.x;
    if (i < 32)
        tile[i] = i; // other
    if (i < 32 && i != 7)
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 32) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out),
                     "r"(static_cast<uint32_t>(__cvta_generic_to_shared(tile))) // error: missing-proxy-fence
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    exchange<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/every_word_of_four_fenced
All four lanes that fill 16 bytes fence their words before the bulk store reads them.

-    if (i < 32 && i != 7)
+    if (i < 32)
*/
