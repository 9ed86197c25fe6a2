// expect: read-wait-for-result
// Drill 09.5: read or written?
// Each block stores a table to global memory with a bulk copy, and then its threads read the stored table. The wait
// below returns when the copy has read its source. That is enough to reuse the tile, but not to use the result. Wait
// for the result: the full wait is ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{}).
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TABLE = 128;

__global__ void __launch_bounds__(TABLE) square_table(int* tables, const int* index, int* out) {
    __shared__ alignas(16) int tile[TABLE];
    const int t = threadIdx.x;
    int* table = tables + blockIdx.x * TABLE;
    tile[t] = t * t + static_cast<int>(blockIdx.x);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, table, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        // TODO(1): wait until the table can be read from global memory.
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        __threadfence(); // orders what thread 0 has written itself
        // END TODO(1)
    }
    __syncthreads();
    const int i = blockIdx.x * TABLE + t;
    out[i] = table[index[i] & (TABLE - 1)];
}

/// `tables`, `index` and `out` are 16-byte aligned arrays of 256 integers.
void launch(int* tables, const int* index, int* out, cudaStream_t stream) {
    square_table<<<2, TABLE, 0, stream>>>(tables, index, out);
}

LAB_ENTRY(launch)
