// Lane 0 waits, and the other lanes do not wait for lane 0.
#include <cuda_awbarrier_primitives.h>

__device__ int in[32], out[32];

__global__ void hand_over() {
    __shared__ int tile[32];
    __shared__ __mbarrier_t full;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        __mbarrier_init(&full, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[lane] = in[lane]; // other
        __mbarrier_arrive(&full);
    } else {
        if (lane == 0)
            while (!__mbarrier_test_wait_parity(&full, false)) {
            }
        out[lane] = tile[31 - lane]; // error: read-after-write-race
    }
}

int main() {
    hand_over<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/one_lane_waits_and_the_warp_for_it
Lane 0 waits, and the other lanes for lane 0.

             }
+        __syncwarp();
*/
