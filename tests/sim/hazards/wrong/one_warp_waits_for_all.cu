// One warp waits for the mbarrier, and the others meet it at a barrier: what was wrong with the wait is wrong for all.
// says: That phase expected 256 bytes, but the copies issued in it write 512
// says: Warp 0 executed that wait, and the thread met it at a barrier afterwards.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ alignas(16) int in[128];
__device__ int out[128];

__global__ void load() {
    __shared__ alignas(16) int tile[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 256, &full);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile + 64, in + 64, 256, &full);
        // other 1, error 2: exit-before-completion
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 256);
        // error 1: early-phase
    }
    if (threadIdx.x < 32)
        while (!ptx::mbarrier_try_wait_parity(&full, 0)) { // other 1
        }
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x]; // other 1
}

int main() {
    load<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
/*
== clean/one_warp_waits_for_all
The phase expects the bytes of both copies.

-        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 256);
+        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 512);
*/
