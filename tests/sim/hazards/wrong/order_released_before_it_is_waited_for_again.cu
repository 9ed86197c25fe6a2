// The consumer asks for the phase a second time, when it has given the buffer back.
#include <cuda_awbarrier_primitives.h>

__device__ int out[64];

__global__ void twice(int laps) {
    __shared__ __mbarrier_t full, empty;
    if (threadIdx.x == 0) {
        __mbarrier_init(&full, 32);
        __mbarrier_init(&empty, 32);
    }
    __syncthreads();
    for (int lap = 0; lap < laps; ++lap)
        if (threadIdx.x < 32) {
            while (!__mbarrier_test_wait_parity(&empty, lap % 2 == 0)) {
            }
            __mbarrier_arrive(&full); // other
        } else {
            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
            }
            __mbarrier_arrive(&empty);
            while (!__mbarrier_test_wait_parity(&full, lap % 2)) { // error: stale-phase-wait
            }
        }
    out[threadIdx.x] = laps;
}

int main() {
    twice<<<1, 64>>>(2);
    return cudaDeviceSynchronize();
}

/*
== clean/order_waited_for_twice
Both waits come before the release.
orders: every

-            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
-            }
-            __mbarrier_arrive(&empty);
-            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
-            }
+            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
+            }
+            while (!__mbarrier_test_wait_parity(&full, lap % 2)) {
+            }
+            __mbarrier_arrive(&empty);
*/
