// Each lane adds the arrival of its copy to the phase, but lane 0 may complete the phase before another lane has
// added its own.
// says: Without .noinc, cp.async.mbarrier.arrive adds an arrival to the current phase of the mbarrier full. Nothing orders that before the phase completes, so the phase may be over before the arrival is counted, and before the copy is complete.
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

__device__ int in[32], out[32];

__global__ void stage() {
    __shared__ int tile[32];
    __shared__ __mbarrier_t full;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        __mbarrier_init(&full, 1); // other
    __syncthreads();
    if (threadIdx.x < 32) {
        __pipeline_memcpy_async(&tile[lane], &in[lane], sizeof(int));
        __pipeline_arrive_on(&full); // error: early-phase
        if (lane == 0)
            __mbarrier_arrive(&full);
    } else {
        while (!__mbarrier_test_wait_parity(&full, 0)) {
        }
        out[lane] = tile[31 - lane];
    }
}

int main() {
    stage<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/arrival_counted_in_before_the_last_one
Each lane adds the arrival of its copy to the phase before lane 0 arrives, so the phase waits for all copies.

         __pipeline_arrive_on(&full);
+        __syncwarp();
*/
