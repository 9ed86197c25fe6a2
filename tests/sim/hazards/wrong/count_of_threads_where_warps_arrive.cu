// One lane of each warp arrives, and mbarrier.init counts all threads.
#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t filled;
    const int i = threadIdx.x;
    if (i == 0)
        __mbarrier_init(&filled, 64); // error: deadlock
    __syncthreads();
    tile[i] = in[i];
    __syncwarp();
    if (i % 32 == 0)
        __mbarrier_arrive(&filled); // other
    while (!__mbarrier_test_wait_parity(&filled, 0)) { // other
    }
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/count_of_warps
One lane of each warp arrives, after the warp has met.

-        __mbarrier_init(&filled, 64);
+        __mbarrier_init(&filled, 2);
*/
