// The wait for the phase is .relaxed, so it does not order the thread after the copy.
// says: is .relaxed: it returns when the phase is complete, but it does not order the thread
// says: Leave .relaxed out
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__device__ alignas(16) int in[64];
__device__ int out[64];

__global__ void load() {
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, 256, &full); // other
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 256);
    }
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&full));
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier) : "memory"); // error: early-phase
    out[threadIdx.x] = tile[63 - threadIdx.x]; // other
}

int main() {
    load<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
/*
== clean/acquiring_wait_for_a_copy
The wait is an acquire.

-        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
+        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
*/
