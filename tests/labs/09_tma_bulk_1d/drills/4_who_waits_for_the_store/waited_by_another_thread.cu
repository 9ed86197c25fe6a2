// expect: waited-by-another-thread
// Drill 09.4: who waits for the store?
// A block writes two tiles from the same buffer, one after the other, so the first bulk store must have read the buffer
// before the threads overwrite it. The store is issued; commit it and wait for it. A bulk group belongs to one thread.
// You need ptx::cp_async_bulk_commit_group() and ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}).
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 128;

__global__ void __launch_bounds__(TILE) encode(const unsigned* in, unsigned* out, unsigned key) {
    __shared__ alignas(16) unsigned tile[TILE];
    const int t = threadIdx.x;
    for (int k = 0; k < 2; ++k) {
        tile[t] = in[k * TILE + t] ^ key;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0)
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + k * TILE, tile, sizeof tile);
        // TODO(1): commit the store, and wait until it has read the tile.
        if (t == 0)
            ptx::cp_async_bulk_commit_group();
        if (t == 32) // another warp has time to wait
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        // END TODO(1)
        __syncthreads(); // from here on the tile may be overwritten
    }
}

/// `in` and `out` are 16-byte aligned arrays of 256 words.
void launch(const unsigned* in, unsigned* out, unsigned key, cudaStream_t stream) {
    encode<<<1, TILE, 0, stream>>>(in, out, key);
}

LAB_ENTRY(launch)
