// mbarrier.expect_tx announces bytes; it is not an arrival.
// says: Copies complete on the mbarrier full, but no thread has arrived on it in this phase: neither a copy nor mbarrier.expect_tx is an arrival.
__device__ alignas(16) int in[64];
__device__ int out[64];

__global__ void load() {
    __shared__ alignas(16) int tile[64];
    __shared__ unsigned long long full;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory"); // error: deadlock
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(barrier) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to),
                     "l"(in), "r"(barrier) : "memory");
    }
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier) : "memory"); // other
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
    load<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/arrival_after_the_announcement
A thread announces the bytes, issues the copy, and arrives.

                      "l"(in), "r"(barrier) : "memory");
+        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");

== clean/bytes_announced_by_one_thread
All threads arrive, and the one that issues the copy announces its bytes.

-        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
+        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(barrier) : "memory");

-        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(barrier) : "memory");
+        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");

                      "l"(in), "r"(barrier) : "memory");
+    } else {
+        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");

== clean/waiting_lane_passes_the_value
One lane of each warp waits for the copy and reads; the other lanes get the value by a shuffle.

-        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(barrier) : "memory");
+        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");

-    int done = 0;
+    int done = threadIdx.x % 32 != 0;

-    out[threadIdx.x] = tile[63 - threadIdx.x];
+    const int first = threadIdx.x % 32 == 0 ? tile[threadIdx.x / 32] : 0;
+    out[threadIdx.x] = __shfl_sync(0xffffffff, first, 0);
*/
