// expect: barrier-reinitialised
// expect: barrier-uninitialised
// Thread 0 has waited for the phase, but the other warp may still be polling.
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
    while (!__mbarrier_test_wait(&memory.barrier, token)) {
    }
    out[i] = row[63 - i];
    if (i == 0)
        __mbarrier_inval(&memory.barrier);
    __syncthreads();
    memory.row[i] = out[i];
    __syncthreads();
    turned[i] = memory.row[63 - i];
}

int main() {
    reverse_twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
