// expect: fence-before-barrier
// Drill 09.3: fence, then barrier
// All threads write a tile with ordinary stores, and thread 0 stores it to global memory with a bulk copy. A bulk copy
// reads through the async proxy, which a barrier alone does not order. Make the tile ready for it. You need one more
// call, ptx::fence_proxy_async(ptx::space_shared), and the right place for it.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 256;

// out[i] = a * i + b
__global__ void __launch_bounds__(TILE) ramp(int* out, int a, int b) {
    __shared__ alignas(16) int tile[TILE];
    const int first = blockIdx.x * TILE;
    tile[threadIdx.x] = a * (first + static_cast<int>(threadIdx.x)) + b;

    // TODO(1): order all writes to the tile before the copy reads it.
    if (threadIdx.x == 0) // covers the writes of thread 0 only
        ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    // END TODO(1)

    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + first, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

/// `out` is a 16-byte aligned array of 256 * tiles integers.
void launch(int* out, int tiles, int a, int b, cudaStream_t stream) {
    ramp<<<tiles, TILE, 0, stream>>>(out, a, b);
}

LAB_ENTRY(launch)
