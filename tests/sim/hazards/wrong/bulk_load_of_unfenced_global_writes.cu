// Threads write global memory, and a bulk load of the same kernel reads it: a barrier does not order the two proxies.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(16) int data[64];
__device__ int out;

__global__ void write_and_load() {
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    data[threadIdx.x] = threadIdx.x; // other
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, data, sizeof tile, &full);
        // error: missing-proxy-fence
    }
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    if (threadIdx.x == 0)
        out = tile[63];
}

int main() {
    write_and_load<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/bulk_load_of_global_writes_fenced_in_every_space
Each writer executes a fence for all state spaces before the barrier.

     data[threadIdx.x] = threadIdx.x;
+    ptx::fence_proxy_async();

== clean/bulk_load_of_global_writes_fenced_by_the_issuer
The issuer executes a fence for global memory after the barrier.

     if (threadIdx.x == 0) {
+        ptx::fence_proxy_async(ptx::space_global);
         ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);

== wrong/bulk_load_of_global_writes_fenced_in_shared_memory
The fence covers shared memory only.

-    data[threadIdx.x] = threadIdx.x;
+    data[threadIdx.x] = threadIdx.x; // other
+    ptx::fence_proxy_async(ptx::space_shared); // other

         ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, data, sizeof tile, &full);
+        // error: missing-proxy-fence
*/
