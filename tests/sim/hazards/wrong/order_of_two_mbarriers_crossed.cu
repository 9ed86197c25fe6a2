// Each warp waits for the barrier that the other one arrives on afterwards.
#include <cuda_awbarrier_primitives.h>

__device__ int out[64];

__global__ void crossed() {
    __shared__ __mbarrier_t a, b;
    if (threadIdx.x == 0) {
        __mbarrier_init(&a, 32);
        __mbarrier_init(&b, 32);
    }
    __syncthreads();
    __mbarrier_t* const mine = threadIdx.x < 32 ? &a : &b;
    __mbarrier_t* const others = threadIdx.x < 32 ? &b : &a;
    while (!__mbarrier_test_wait_parity(others, 0)) { // error: deadlock
    }
    __mbarrier_arrive(mine);
    out[threadIdx.x] = threadIdx.x;
}

int main() {
    crossed<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/order_of_two_mbarriers
Each warp arrives before it waits.
orders: every

-    while (!__mbarrier_test_wait_parity(others, 0)) {
-    }
-    __mbarrier_arrive(mine);
+    __mbarrier_arrive(mine);
+    while (!__mbarrier_test_wait_parity(others, 0)) {
+    }
*/
