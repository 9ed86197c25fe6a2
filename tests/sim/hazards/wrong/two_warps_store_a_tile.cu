// Two threads store the same tile, and nothing orders one copy after the other.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ alignas(16) int out[64];

__global__ void store() {
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (i % 32 == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, 256); // error: missing-barrier-after-wait, other
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/a_warp_stores_a_tile
All lanes of one warp issue the same store by one instruction, as in CUTLASS's epilogue: a note.

-    if (i % 32 == 0) {
+    if (i < 32) {
*/
