// The wait is the cause: it leaves the youngest group pending.
// says: The thread's last wait allows the most recent bulk groups to stay pending, and the group of this store is one of them.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(16) int out[2][32];

__global__ void store() {
    __shared__ alignas(16) int tile[2][32];
    tile[0][threadIdx.x] = threadIdx.x;
    tile[1][threadIdx.x] = 2 * threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out[0], tile[0], sizeof tile[0]);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out[1], tile[1], sizeof tile[1]); // other
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{}); // error: exit-before-completion
    }
}

int main() {
    store<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/last_wait_leaves_no_store_pending
Two bulk stores in groups of their own. The last wait before the exit covers both.

-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{});
+        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});

== wrong/last_store_not_committed
The thread waits, but the last store is in no group when it does.
says: A wait covers only committed bulk groups, and this copy was not committed before the wait.

-        ptx::cp_async_bulk_commit_group();
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>{});
+        // error: uncommitted-copy
+        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // other
*/
