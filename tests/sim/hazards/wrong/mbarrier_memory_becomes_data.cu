// A warning: the mbarrier is no longer used, but it was not invalidated.
// says: The 8 bytes still belong to an mbarrier: no thread has executed mbarrier.inval before this store. No thread uses the mbarrier afterwards.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int tile_size = 64;
__device__ alignas(16) int in[tile_size], out[tile_size];

__global__ void copy() {
    __shared__ alignas(128) int tile[tile_size];
    __shared__ alignas(8) int scratch[2];
    auto* const bar = reinterpret_cast<uint64_t*>(scratch);
    if (threadIdx.x == 0)
        ptx::mbarrier_init(bar, 1); // other
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, sizeof tile);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, bar);
    }
    while (!ptx::mbarrier_try_wait_parity(bar, 0)) {
    }
    __syncthreads();
    if (threadIdx.x < 2)
        scratch[threadIdx.x] = tile[threadIdx.x]; // warning: barrier-reinitialised
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x] + scratch[threadIdx.x % 2];
}

int main() {
    copy<<<1, tile_size>>>();
    return cudaDeviceSynchronize();
}

/*
== clean/mbarrier_memory_becomes_data
mbarrier.inval ends the mbarrier before its memory becomes data.

     }
     __syncthreads();
+    if (threadIdx.x == 0)
+        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(unsigned(__cvta_generic_to_shared(bar))) : "memory");
+    __syncthreads();
*/
