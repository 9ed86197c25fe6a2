// cp.async writes through the generic proxy, and the bulk store reads through the async proxy.
#include <cuda/ptx>
#include <cuda_pipeline_primitives.h>

__device__ alignas(16) int in[64], out[64];

__global__ void pass_on() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int)); // other
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (i == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile); // error: missing-proxy-fence
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    pass_on<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/copy_then_fence_then_bulk_store
cp.async writes through the generic proxy; the fence makes that known to the bulk store.

     __pipeline_wait_prior(0);
+    ptx::fence_proxy_async(ptx::space_shared);
*/
