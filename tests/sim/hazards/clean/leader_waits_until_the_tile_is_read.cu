// The leader waits until the store has read the tile; behind the barrier everybody may write it again.
#include <cuda/ptx>

__device__ alignas(16) int out[4][64];

__global__ void store() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    for (int round = 0; round < 4; ++round) {
        tile[i] = 10 * round + i;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (i == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out[round], tile, sizeof tile);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        }
        __syncthreads();
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
