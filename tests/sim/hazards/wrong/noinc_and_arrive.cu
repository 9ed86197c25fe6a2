// With .noinc each lane arrives twice: the phase is over when half of them have come.
// says: The thread waited for phase 0 (parity 0), but that phase completed before the arrival that follows these bytes: more threads arrive than mbarrier.init counts.
// says: The earlier copy completes in phase 0 of an mbarrier, and this thread is neither ordered after that phase nor after the reads of its bytes: the producer overruns its consumer.
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

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
            __pipeline_memcpy_async(&tile[s][lane], &in[t][lane], sizeof(int));
            // other 1, error 2: overlapping-copies, other 2
            const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full[s]));
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory"); // other 1
            __mbarrier_arrive(&full[s]);
        } else {
            while (!__mbarrier_test_wait_parity(&full[s], t / stages % 2)) { // other 1
            }
            out[t][lane] = tile[s][31 - lane]; // error 1: early-phase
            __mbarrier_arrive(&empty[s]);
        }
    }
}

int main() {
    ring<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/arrive_on_and_arrive
The copies add an arrival of their own; each thread arrives, too.

-            const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full[s]));
-            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
+            __pipeline_arrive_on(&full[s]);

== clean/noinc_counted
With .noinc the arrival of the copies is the one that mbarrier.init has counted.

-            __mbarrier_arrive(&full[s]);

== wrong/arrive_on_without_arrive
The arrival of the copies has been added to those that are expected; each thread must arrive as well.

-            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) {
+            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) { // error: deadlock

-            const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full[s]));
-            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
-            __mbarrier_arrive(&full[s]);
+            __pipeline_arrive_on(&full[s]);

== wrong/noinc_counted_as_well
mbarrier.init counts the arrivals of the copies and of the threads, but no thread arrives.

-            __mbarrier_init(&full[s], 32);
+            __mbarrier_init(&full[s], 64); // error: deadlock

-            __mbarrier_arrive(&full[s]);

-            while (!__mbarrier_test_wait_parity(&full[s], t / stages % 2)) {
+            while (!__mbarrier_test_wait_parity(&full[s], t / stages % 2)) { // other

== wrong/noinc_counted_once
32 lanes arrive, and mbarrier.init has counted one of them.
says: 32 lanes arrive here, but a phase of the mbarrier full[0] expects only 1 arrival, so one instruction completes several phases and no thread can wait for each of them.

-            __mbarrier_init(&full[s], 32);
+            __mbarrier_init(&full[s], 1);

-            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) {
+            while (!__mbarrier_test_wait_parity(&empty[s], t / stages % 2 == 0)) { // error 2: deadlock

-            __mbarrier_arrive(&full[s]);
+            // error 1: barrier-overflow
*/
