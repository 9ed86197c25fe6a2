// The warpgroup multiplies a tile that has not been copied yet. Its neighbour is clean/wgmma_one_warp_waits_for_the_group.cu.
// says: The thread has already arrived in phase 0 (parity 0) of the mbarrier full, and 512 bytes of the copies that complete in it are still outstanding:
// says: The earlier copy may still be writing until this thread is ordered after phase 0 (parity 0) of the mbarrier full, in which it completes.
#include <cstdint>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(128) uint16_t in[4][128];
__device__ float out[128];

__global__ void sum() {
    __shared__ alignas(128) uint16_t tile[128];
    __shared__ alignas(8) uint64_t full, empty;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 1);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 128)
        for (int i = 0; i < 4; ++i) {
            while (!ptx::mbarrier_try_wait_parity(&empty, ~i & 1)) { // other 2
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
            // error 2: missing-wait
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[i], sizeof tile, &full);
            // other 1, error 3: overlapping-copies, other 3, error 4: exit-before-completion
        }
    if (threadIdx.x >= 128)
        return;
    const uint64_t matrix = __cvta_generic_to_shared(tile) >> 4 | 8ull << 16 | 16ull << 32;
    const uint32_t ones = 0x3f803f80;
    float d[4] = {};
    for (int i = 0; i < 4; ++i) {
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                     "1, 1, 1, 0;"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(ones), "l"(matrix)); // error 1: missing-wait
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        asm volatile("bar.sync 1, 128;" ::: "memory");
        if (threadIdx.x == 0)
            ptx::mbarrier_arrive(&empty);
    }
    out[threadIdx.x] = d[0];
}

int main() {
    sum<<<1, 160>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/wgmma_one_warp_waits_for_the_group
One warp waits for the copy, and a barrier of the warpgroup orders the others after that wait.

     for (int i = 0; i < 4; ++i) {
+        if (threadIdx.x < 32)
+            while (!ptx::mbarrier_try_wait_parity(&full, i & 1)) {
+            }
+        asm volatile("bar.sync 1, 128;" ::: "memory");

== wrong/wgmma_one_warp_waits
One warp of the warpgroup waits for the copy, and the others multiply without having waited. Its neighbour,
clean/wgmma_one_warp_waits_for_the_group.cu, has a barrier in between.
says: Another warp of its warpgroup has waited, but a wait makes the bytes visible only to the threads that execute it.

-            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[i], sizeof tile, &full);
+            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[i], sizeof tile, &full);
+            // other 1, error 2: refill-while-read, other 2

     for (int i = 0; i < 4; ++i) {
+        if (threadIdx.x < 32)
+            while (!ptx::mbarrier_try_wait_parity(&full, i & 1)) { // other 2
+            }

-                     : "r"(ones), "l"(matrix));
+                     : "r"(ones), "l"(matrix)); // error 1: missing-wait, other 2

== wrong/wgmma_stage_released_before_wait
The consumer gives a stage back as soon as it has issued the multiplications that read it. Its neighbour,
clean/gemm_tma_wgmma.cu, waits for them first.
says: The warpgroup has waited for the operation, but nothing orders this thread after that wait.

             ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[i], sizeof tile, &full);
+            // error: wgmma-operand-overwritten

     for (int i = 0; i < 4; ++i) {
+        while (!ptx::mbarrier_try_wait_parity(&full, i & 1)) {
+        }

-                     : "r"(ones), "l"(matrix));
+                     : "r"(ones), "l"(matrix)); // other
         asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
-        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
-        asm volatile("bar.sync 1, 128;" ::: "memory");

             ptx::mbarrier_arrive(&empty);
+        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
*/
