// Compile with --arch compute_100a. A bulk store with a byte mask writes the colours of pixels, and a thread stores to
// one of them before the bulk store is complete.
#include <cstdint>
#include <cstdio>

#include "../../../real/blackwell.h"

__device__ uchar4 image[64];

__global__ void paint() {
    __shared__ alignas(16) uchar4 tile[64];
    tile[threadIdx.x] = {1, 2, 3, 0};
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%0], [%1], %2, %3;" ::"l"(image),
                     "r"(smem(tile)), "r"(unsigned(sizeof tile)), "h"(uint16_t(0x7777)) // other
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        image[5].z = 9; // error: write-before-completion
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

int main() {
    paint<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/byte_left_out_by_the_mask
Compile with --arch compute_100a. The mask leaves out the byte that the thread stores.

-        image[5].z = 9;
+        image[5].w = 9;

== clean/byte_under_a_mask_written_afterwards
Compile with --arch compute_100a. The bulk store is complete by then.

-        image[5].z = 9;
         asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
+        image[5].z = 9;
*/
