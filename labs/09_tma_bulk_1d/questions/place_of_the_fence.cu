#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void store(int* out) {
    __shared__ alignas(16) int tile[64];
    tile[threadIdx.x] = threadIdx.x;
#if PLACE == 0
    if (threadIdx.x == 0)
        ptx::fence_proxy_async(ptx::space_shared);
#elif PLACE == 1
    ptx::fence_proxy_async(ptx::space_shared);
#endif
    __syncthreads();
    if (threadIdx.x == 0) {
#if PLACE == 2
        ptx::fence_proxy_async(ptx::space_shared);
#endif
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    store<<<1, 64>>>(out);
    cudaDeviceSynchronize();
}
