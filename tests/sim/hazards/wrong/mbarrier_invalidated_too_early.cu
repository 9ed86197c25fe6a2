// Thread 0 has waited for the phase, but the other warp may still be polling.
// says: Nothing orders that use before mbarrier.inval, so the mbarrier may disappear while the other thread arrives or waits.
// says: The mbarrier memory[0] was invalidated at mbarrier_invalidated_too_early.cu:
#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[64], turned[64];

__global__ void reverse_twice() {
    __shared__ union {
        __mbarrier_t barrier;
        int row[64];
    } memory;
    __shared__ int row[64];
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&memory.barrier, 64);
    __syncthreads();
    row[i] = in[i];
    const __mbarrier_token_t token = __mbarrier_arrive(&memory.barrier);
    while (!__mbarrier_test_wait(&memory.barrier, token)) { // other 1, error 2: barrier-uninitialised
    }
    out[i] = row[63 - i];
    if (i == 0)
        __mbarrier_inval(&memory.barrier); // error 1: barrier-reinitialised
    __syncthreads();
    memory.row[i] = out[i];
    __syncthreads();
    turned[i] = memory.row[63 - i];
}

int main() {
    reverse_twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/mbarrier_invalidated
The memory of an mbarrier is used for something else, after everybody has waited for the last phase.

     out[i] = row[63 - i];
+    __syncthreads();
*/
