// Each producer arrives before it counts its copies in: its phase may be over by then.
// says: Nothing orders that before the phase completes, so the phase may be over before the arrival is counted
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

__device__ int in[32], out[32];

__global__ void stage() {
    __shared__ int tile[32];
    __shared__ __mbarrier_t full;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        __mbarrier_init(&full, 64); // other 1
    __syncthreads();
    if (threadIdx.x < 32) {
        __pipeline_memcpy_async(&tile[lane], &in[lane], sizeof(int)); // error 2: refill-while-read
        __mbarrier_arrive(&full);
        __pipeline_arrive_on(&full); // error 1: early-phase, other 2
    } else {
        const auto token = __mbarrier_arrive(&full);
        while (!__mbarrier_test_wait(&full, token)) { // other 2
        }
        out[lane] = tile[31 - lane]; // other 2
    }
}

int main() {
    stage<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/tracking_arrival_before_the_own_one
The phase cannot be over before the producer's own arrival, and that comes last.

-        __mbarrier_arrive(&full);
         __pipeline_arrive_on(&full);
+        __mbarrier_arrive(&full);
*/
