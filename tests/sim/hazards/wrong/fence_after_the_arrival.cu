// The fence is there, but on the wrong side of the arrival.
// says: The writer executes fence.proxy.async only after the barrier (or the arrival) that orders its write before the bulk copy. The copy may be issued before that fence.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(16) int out[32];

__global__ void store() {
    __shared__ alignas(16) int tile[32];
    __shared__ uint64_t written;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&written, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        tile[threadIdx.x] = threadIdx.x; // other
        ptx::mbarrier_arrive(&written);
        ptx::fence_proxy_async(ptx::space_shared); // other
    } else if (threadIdx.x == 32) {
        while (!ptx::mbarrier_try_wait_parity(&written, 0)) {
        }
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile); // error: missing-proxy-fence
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/fence_before_the_arrival
The writers fence, then arrive; another warp waits and stores the tile.

+        ptx::fence_proxy_async(ptx::space_shared);
         ptx::mbarrier_arrive(&written);
-        ptx::fence_proxy_async(ptx::space_shared);
*/
