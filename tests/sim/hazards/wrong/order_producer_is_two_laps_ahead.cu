// The third warp waits for the first lap only. If the producer is two laps ahead by then, this parity stands for a lap
// that never comes.
#include <cuda_awbarrier_primitives.h>

__device__ int out[96];

__global__ void laps(int count) {
    __shared__ __mbarrier_t full, empty;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        __mbarrier_init(&full, 32);
        __mbarrier_init(&empty, 32);
    }
    __syncthreads();
    for (int lap = 0; lap < count; ++lap)
        if (warp == 0) {
            while (!__mbarrier_test_wait_parity(&empty, lap % 2 == 0)) {
            }
            __mbarrier_arrive(&full); // other
        } else if (warp == 1) {
            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
            }
            __mbarrier_arrive(&empty);
        } else if (lap == 0) {
            while (!__mbarrier_test_wait_parity(&full, 0)) { // error: stale-phase-wait
            }
        }
    out[threadIdx.x] = count;
}

int main() {
    laps<<<1, 96>>>(2);
    return cudaDeviceSynchronize();
}

/*
== clean/order_producer_is_one_lap_ahead
There is one lap only.
orders: every

-    laps<<<1, 96>>>(2);
+    laps<<<1, 96>>>(1);

== clean/order_producer_waits_for_the_first_lap
In its second lap the producer waits until all warps have seen the first one.
orders: every

         if (warp == 0) {
+            if (lap == 1)
+                asm volatile("bar.sync 1, 64;" ::: "memory");

             while (!__mbarrier_test_wait_parity(&full, 0)) {
             }
+            asm volatile("bar.sync 1, 64;" ::: "memory");
*/
