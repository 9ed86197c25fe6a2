// The writers fence, then arrive; another warp waits and stores the tile.
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
        tile[threadIdx.x] = threadIdx.x;
#ifndef ARRIVES_FIRST
        ptx::fence_proxy_async(ptx::space_shared);
#endif
        ptx::mbarrier_arrive(&written);
#ifdef ARRIVES_FIRST
        ptx::fence_proxy_async(ptx::space_shared);
#endif
    } else if (threadIdx.x == 32) {
        while (!ptx::mbarrier_try_wait_parity(&written, 0)) {
        }
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}

// Other programs follow in the same file.
#undef ARRIVES_FIRST
