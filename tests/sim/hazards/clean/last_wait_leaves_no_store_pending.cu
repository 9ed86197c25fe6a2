// Two bulk stores in groups of their own. The last wait before the exit covers both.
#include <cuda/ptx>
namespace ptx = cuda::ptx;

#ifdef NOT_COMMITTED
#define COMMIT_LAST()
#else
#define COMMIT_LAST() ptx::cp_async_bulk_commit_group()
#endif
#ifndef STAY_PENDING
#define STAY_PENDING 0
#endif

__device__ alignas(16) int out[2][32];

__global__ void store() {
    __shared__ alignas(16) int tile[2][32];
    tile[0][threadIdx.x] = threadIdx.x;
    tile[1][threadIdx.x] = 2 * threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out[0], tile[0], sizeof tile[0]);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out[1], tile[1], sizeof tile[1]);
        COMMIT_LAST();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<STAY_PENDING>{});
    }
}

int main() {
    store<<<1, 32>>>();
    return cudaDeviceSynchronize();
}

// Other programs follow in the same file.
#undef NOT_COMMITTED
#undef COMMIT_LAST
#undef STAY_PENDING
