// expect: deadlock
// The consumer asks for parity 0 in every lap.
#include <cuda_awbarrier_primitives.h>

__device__ int in[8][32], out[8][32];

__global__ void ring() {
    constexpr int stages = 2;
    __shared__ int tile[stages][32];
    __shared__ __mbarrier_t full[stages], empty[stages];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        for (int s = 0; s < stages; ++s) {
            __mbarrier_init(&full[s], 32);
            __mbarrier_init(&empty[s], 32);
        }
    __syncthreads();
    for (int t = 0; t < 8; ++t) {
        const int s = t % stages;
        if (threadIdx.x < 32) {
            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) {
            }
            tile[s][lane] = in[t][lane];
            __mbarrier_arrive(&full[s]);
        } else {
            while (!__mbarrier_test_wait_parity(&full[s], 0)) {
            }
            out[t][lane] = tile[s][31 - lane];
            __mbarrier_arrive(&empty[s]);
        }
    }
}

int main() {
    ring<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/parity_one_of_a_new_barrier
In its first lap the producer waits for parity 1 of barriers without any arrival, so the wait returns at once.

-            while (!__mbarrier_test_wait_parity(&full[s], 0)) {
+            while (!__mbarrier_test_wait_parity(&full[s], t / stages % 2)) {

== wrong/consumer_never_releases
The producer waits for stages that are never released.

-            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) {
+            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) { // error: deadlock

-            while (!__mbarrier_test_wait_parity(&full[s], 0)) {
+            while (!__mbarrier_test_wait_parity(&full[s], t / stages % 2)) {

-            __mbarrier_arrive(&empty[s]);

== wrong/parity_flipped_per_stage
The parity belongs to the lap; here it changes with each stage.

-            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) {
+            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) { // error: deadlock

-            while (!__mbarrier_test_wait_parity(&full[s], 0)) {
+            while (!__mbarrier_test_wait_parity(&full[s], t % 2)) {
*/
