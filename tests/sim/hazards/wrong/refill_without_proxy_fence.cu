// A warning: the reads are ordered before the refill, but not across the proxies.
// says: The read is ordered before the bulk copy, but no fence.proxy.async comes between them. The manual requires it. CUTLASS leaves it out, but other projects got wrong results without it.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int tile_size = 32, tiles = 6;
__device__ alignas(16) int in[tiles][tile_size], out[tile_size];

__global__ void sum() {
    __shared__ alignas(128) int tile[tile_size];
    __shared__ uint64_t full, empty;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 1);
    }
    __syncthreads();
    if (threadIdx.x == 32)
#pragma unroll 1
        for (int t = 0; t < tiles; ++t) {
            while (!ptx::mbarrier_try_wait_parity(&empty, (t & 1) ^ 1)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[t], sizeof tile, &full);
            // warning: missing-proxy-fence
        }
    if (threadIdx.x >= 32)
        return;
    int total = 0;
#pragma unroll 1
    for (int t = 0; t < tiles; ++t) {
        while (!ptx::mbarrier_try_wait_parity(&full, t & 1)) {
        }
        total += tile[lane ^ 1]; // other
        __syncwarp();
        if (lane == 0)
            ptx::mbarrier_arrive(&empty);
    }
    out[lane] = total;
}

int main() {
    sum<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/elected_lane_releases_after_syncwarp
The warp synchronises before one lane arrives for all.

         total += tile[lane ^ 1];
+        ptx::fence_proxy_async(ptx::space_shared);

== wrong/count_of_lanes_where_one_arrives
One lane arrives for its warp, and mbarrier.init counts all lanes.

-        ptx::mbarrier_init(&empty, 1);
+        ptx::mbarrier_init(&empty, 32); // error: deadlock

-            while (!ptx::mbarrier_try_wait_parity(&empty, (t & 1) ^ 1)) {
+            while (!ptx::mbarrier_try_wait_parity(&empty, (t & 1) ^ 1)) { // other

         total += tile[lane ^ 1];
+        ptx::fence_proxy_async(ptx::space_shared);

-            ptx::mbarrier_arrive(&empty);
+            ptx::mbarrier_arrive(&empty); // other

== wrong/elected_lane_releases_for_its_warp
One lane arrives for its warp, and nothing orders the other lanes' reads before that.
says: Lane 0 of the reader's warp released the buffer, but nothing orders this read before that release: a lane speaks only for itself, and neither elect.sync nor a branch is a barrier.

             ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[t], sizeof tile, &full);
+            // error: refill-while-read

-        total += tile[lane ^ 1];
-        __syncwarp();
+        total += tile[lane ^ 1]; // other
+        ptx::fence_proxy_async(ptx::space_shared);
*/
