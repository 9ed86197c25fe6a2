// The barrier counts two arrivals and one thread arrives.
#include <cuda_awbarrier_primitives.h>

__device__ int out[64];

__global__ void hand_over() {
    __shared__ int word;
    __shared__ __mbarrier_t ready;
    if (threadIdx.x == 0)
        __mbarrier_init(&ready, 2); // error: deadlock
    __syncthreads();
    if (threadIdx.x == 32) {
        word = 7;
        __mbarrier_arrive(&ready); // other
    }
    if (threadIdx.x == 0)
        while (!__mbarrier_test_wait_parity(&ready, 0)) { // other
        }
    __syncthreads(); // all wait here for the one thread that waits above
    out[threadIdx.x] = word;
}

int main() {
    hand_over<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/one_lane_waits_before_the_barrier
One thread waits for a phase while the others wait for it at the barrier.

-        __mbarrier_init(&ready, 2);
+        __mbarrier_init(&ready, 1);
*/
