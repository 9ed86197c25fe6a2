// Every thread waits for its bulk stores before it writes to the tile, also those that have issued none. That is no
// mistake, and not why the stores of two blocks conflict.
// says: Two blocks store to the same bytes
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int threads = 64;
__device__ alignas(16) int out[2 * threads];

__global__ void __cluster_dims__(2) store() {
    __shared__ alignas(16) int tile[threads];
    const int i = threadIdx.x;
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    __syncthreads();
    tile[i] = i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (i == 0) {
        int* const to = out;
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to, tile, sizeof tile);
        // error: overlapping-copies, other
        ptx::cp_async_bulk_commit_group();
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

int main() {
    store<<<2, threads>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/each_block_stores_to_its_own_rows
Every thread waits for its bulk stores, also those that have issued none.

-        int* const to = out;
+        int* const to = out + blockIdx.x * threads;
*/
