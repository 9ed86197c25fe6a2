// expect: deadlock
// One lane arrives for its warp, and mbarrier.init counts all lanes.
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int tile_size = 32, tiles = 6;
__device__ alignas(16) int in[tiles][tile_size], out[tile_size];

__global__ void sum() {
    __shared__ alignas(128) int tile[tile_size];
    __shared__ uint64_t full, empty;
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&empty, 32);
    }
    __syncthreads();
    if (threadIdx.x == 32)
#pragma unroll 1
        for (int t = 0; t < tiles; ++t) {
            while (!ptx::mbarrier_try_wait_parity(&empty, (t & 1) ^ 1)) {
            }
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in[t], sizeof tile, &full);
        }
    if (threadIdx.x >= 32)
        return;
    int total = 0;
#pragma unroll 1
    for (int t = 0; t < tiles; ++t) {
        while (!ptx::mbarrier_try_wait_parity(&full, t & 1)) {
        }
        total += tile[lane ^ 1];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (lane == 0)
            ptx::mbarrier_arrive(&empty);
    }
    out[lane] = total;
}

int main() {
    sum<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
