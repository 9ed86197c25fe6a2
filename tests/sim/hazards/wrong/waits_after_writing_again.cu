// expect: source-modified-in-flight
// The issuer waits, but only after the tile has been written again. Its first wait finds no group, as it should.
#include <cuda/ptx>
namespace ptx = cuda::ptx;
__global__ void store_twice(int* out) {
    __shared__ alignas(128) int tile[32];
    for (int k = 0; k < 2; ++k) {
        tile[threadIdx.x] = k;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x == 0) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 32 * k, tile, sizeof tile);
            ptx::cp_async_bulk_commit_group();
        }
        __syncwarp();
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}
int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    store_twice<<<1, 32>>>(out);
    return cudaDeviceSynchronize();
}
