// says: nothing prevents an order in which 2 phases are complete before this thread looks
// The third warp only watches, and the producer does not wait for it.
#include <cuda_awbarrier_primitives.h>

__device__ int out[96];

__global__ void watched(int laps) {
    __shared__ __mbarrier_t full, empty;
    __shared__ int seen;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        __mbarrier_init(&full, 32);
        __mbarrier_init(&empty, 32);
        seen = 0;
    }
    __syncthreads();
    for (int lap = 0; lap < laps; ++lap)
        if (warp == 0) {
            while (!__mbarrier_test_wait_parity(&empty, lap % 2 == 0)) {
            }
            __mbarrier_arrive(&full); // other
        } else if (warp == 1) {
            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
            }
            __mbarrier_arrive(&empty);
        } else {
            while (!__mbarrier_test_wait_parity(&full, lap % 2)) { // error: stale-phase-wait
            }
        }
    out[threadIdx.x] = laps;
}

int main() {
    watched<<<1, 96>>>(4);
    return cudaDeviceSynchronize();
}

/*
== clean/order_observer_is_counted
The producer waits for it, too.
orders: every

-        __mbarrier_init(&empty, 32);
+        __mbarrier_init(&empty, 64);

         } else {
             while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
             }
+            __mbarrier_arrive(&empty);

== clean/order_observer_sets_a_flag
The other consumer waits for its flag before it releases the buffer.
orders: every

-            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
-            }
-            __mbarrier_arrive(&empty);
+            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
+            }
+            while (atomicAdd(&seen, 0) < 32 * (lap + 1)) {
+            }
+            __mbarrier_arrive(&empty);

         } else {
             while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
             }
+            atomicAdd(&seen, 1);
*/
