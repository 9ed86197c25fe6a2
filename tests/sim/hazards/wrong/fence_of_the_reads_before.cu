// The issuer's proxy fence comes before the barrier, but also before the writes: it is about something else, and the
// writes have none.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(16) int out[64];

__global__ void store() {
    __shared__ alignas(16) int tile[64];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    tile[threadIdx.x] = threadIdx.x; // other
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile); // error: missing-proxy-fence
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/fence_of_the_writes_after_them
The same fence behind the writes.

-    ptx::fence_proxy_async(ptx::space_shared);
-    __syncwarp();
     tile[threadIdx.x] = threadIdx.x;
+    ptx::fence_proxy_async(ptx::space_shared);
*/
