// The producer does not wait until a stage is released, and announces the bytes of its next round in the same phase. Its
// neighbour is clean/producer_starts_with_parity_one.cu.
// says: The thread has already arrived in phase 0 (parity 0) of the mbarrier full[0], and 256 bytes of the copies that complete in it are still outstanding: nothing between the two arrivals waits until the buffer can be filled again.
// says: The earlier copy may still be writing until this thread is ordered after phase 0 (parity 0) of the mbarrier full[0], in which it completes.
// says: The thread fills the buffer again, and has not waited for any mbarrier so far.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(128) int in[8][32];
__device__ int out[32];

__global__ void ring() {
    constexpr int stages = 2;
    __shared__ alignas(128) int tile[stages][32];
    __shared__ uint64_t full[stages], empty[stages];
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 32);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x == 32)
        for (int t = 0; t < 8; ++t) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[t % stages],
            // error 1: missing-wait
                                           sizeof tile[0]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[t % stages], in[t], sizeof tile[0],
            // error 2: overlapping-copies, other 2
                               &full[t % stages]);
        }
    if (threadIdx.x >= 32)
        return;
    int sum = 0;
    for (int t = 0; t < 8; ++t) {
        while (!ptx::mbarrier_try_wait_parity(&full[t % stages], t / stages & 1)) { // error 3: deadlock
        }
        sum += tile[t % stages][31 - threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::mbarrier_arrive(&empty[t % stages]);
    }
    out[threadIdx.x] = sum;
}

int main() {
    ring<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/producer_starts_with_parity_one
The producer of a ring waits for the phase before the first in its first lap: new stages need no release.

         for (int t = 0; t < 8; ++t) {
+            while (!ptx::mbarrier_try_wait_parity(&empty[t % stages], (t / stages & 1) ^ 1)) {
+            }

== wrong/producer_starts_with_parity_zero
The producer waits for its first stage to be released, although it has not been filled yet. Its neighbour,
clean/producer_starts_with_parity_one.cu, starts with the opposite parity.
says: Since its initialisation, the mbarrier empty[0] has been in phase 0 (parity 0), and no thread has arrived on it: the threads that would arrive wait for the mbarrier full[0] first, which only the producer completes. The phase before the first counts as complete, so a wait for parity 1 would return at once.

-            ptx::mbarrier_init(&empty[s], 32);
+            ptx::mbarrier_init(&empty[s], 32); // other

         for (int t = 0; t < 8; ++t) {
+            while (!ptx::mbarrier_try_wait_parity(&empty[t % stages], t / stages & 1)) { // error: deadlock
+            }

-        while (!ptx::mbarrier_try_wait_parity(&full[t % stages], t / stages & 1)) {
+        while (!ptx::mbarrier_try_wait_parity(&full[t % stages], t / stages & 1)) { // other
*/
