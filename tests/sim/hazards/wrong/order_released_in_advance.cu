// The consumer releases the buffer in advance, and the producer starts as if nobody did: if the consumer is first, the
// producer asks for a phase that is over.
#include <cuda_awbarrier_primitives.h>

__device__ int out[64];

__global__ void ring(int laps) {
    __shared__ __mbarrier_t full, empty;
    if (threadIdx.x == 0) {
        __mbarrier_init(&full, 32);
        __mbarrier_init(&empty, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        __mbarrier_arrive(&empty); // other 1
    for (int lap = 0; lap < laps; ++lap)
        if (threadIdx.x >= 32) {
            while (!__mbarrier_test_wait_parity(&empty, lap % 2 == 0)) { // error 1: stale-phase-wait
            }
            __mbarrier_arrive(&full);
        } else {
            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
            }
            __mbarrier_arrive(&empty); // note 2: phase-without-wait
        }
    out[threadIdx.x] = laps;
}

int main() {
    ring<<<1, 64>>>(1);
    return cudaDeviceSynchronize();
}

/*
== clean/order_released_in_advance_and_waited_for
The producer waits for the release in advance.
orders: every

-            while (!__mbarrier_test_wait_parity(&empty, lap % 2 == 0)) {
+            while (!__mbarrier_test_wait_parity(&empty, lap % 2)) {

-    ring<<<1, 64>>>(1);
+    ring<<<1, 64>>>(5);

== clean/order_parity_of_the_first_lap
Nobody releases in advance.
orders: every

-    if (threadIdx.x < 32)
-        __mbarrier_arrive(&empty);

-    ring<<<1, 64>>>(1);
+    ring<<<1, 64>>>(5);
*/
