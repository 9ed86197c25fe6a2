// A warning: two warps read the same bytes, and a block barrier orders both before the refill, but not across the
// proxies.
// says: The read is ordered before the bulk copy, but no fence.proxy.async comes between them.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int tile_size = 32, tiles = 3;
__device__ alignas(16) int in[tiles][tile_size], out[2 * tile_size];

__global__ void sum() {
    __shared__ alignas(128) int tile[tile_size];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    int total = 0;
#pragma unroll 1
    for (int t = 0; t < tiles; ++t) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[t], sizeof tile, &full);
            // warning: missing-proxy-fence
        }
        while (!ptx::mbarrier_try_wait_parity(&full, t & 1)) {
        }
        total += tile[threadIdx.x % 32]; // other
        __syncthreads();
    }
    out[threadIdx.x] = total;
}

int main() {
    sum<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/readers_fence_before_the_block_barrier
Each reader executes the proxy fence before the barrier.

         total += tile[threadIdx.x % 32];
+        ptx::fence_proxy_async(ptx::space_shared);

== clean/issuer_fences_after_the_block_barrier
The thread that issues the copy executes the proxy fence, behind the barrier.

         if (threadIdx.x == 0) {
+            ptx::fence_proxy_async(ptx::space_shared);

== wrong/issuer_fences_before_the_block_barrier
The fence of the thread that issues covers its own reads only, because it comes before the barrier.

             ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[t], sizeof tile, &full);
+            // warning: missing-proxy-fence

-        total += tile[threadIdx.x % 32];
+        total += tile[threadIdx.x % 32]; // other
+        if (threadIdx.x == 0)
+            ptx::fence_proxy_async(ptx::space_shared);

== wrong/refill_after_two_block_barriers
A second barrier, before which both warps read something else, makes no difference.

-    __shared__ uint64_t full;
+    __shared__ int other[tile_size];
+    __shared__ uint64_t full;

-    if (threadIdx.x == 0)
-        ptx::mbarrier_init(&full, 1);
+    if (threadIdx.x == 0)
+        ptx::mbarrier_init(&full, 1);
+    if (threadIdx.x < 32)
+        other[threadIdx.x] = 1;

             ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[t], sizeof tile, &full);
+            // warning: missing-proxy-fence

-        total += tile[threadIdx.x % 32];
-        __syncthreads();
+        total += tile[threadIdx.x % 32]; // other
+        __syncthreads();
+        total += other[threadIdx.x % 32];
+        __syncthreads();
*/
