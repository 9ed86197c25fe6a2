// expect: case "three tiles without bank conflicts"
// The tile is written swizzled, but the store does not undo it.
// Drill 13.5: written for the store
// A warp's lanes write columns of a tile, and the copy unit stores the tile. Now the result is right, but each write of
// eight lanes takes eight turns. A store through a map that swizzles undoes the swizzle. So let the map swizzle, and
// write each unit where the store will look for it.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int UNITS = 8, ROWS = 8; // a row has eight units of 16 bytes
constexpr int THREADS = UNITS * ROWS;

// Returns the index of the unit in that row and column of a tile that begins at a multiple of 1024.
__device__ int place(int row, int column) {
    // TODO(1): where does the store look for it?
    return UNITS * row + (column ^ row % 8);
    // END TODO(1)
}

__global__ void __launch_bounds__(THREADS) transpose(const uint4* in, const __grid_constant__ CUtensorMap map) {
    __shared__ alignas(1024) uint4 tile[ROWS * UNITS];
    in += blockIdx.x * THREADS;
    tile[place(threadIdx.x % ROWS, threadIdx.x / ROWS)] = in[threadIdx.x];
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, int(blockIdx.x) * ROWS};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

/// `in` and `out`: `count` tiles of eight rows of eight units; each is transposed by itself.
cudaError_t launch(const uint4* in, uint4* out, int count, cudaStream_t stream) {
    // TODO(2): CU_TENSOR_MAP_SWIZZLE_ and NONE, 32B, 64B or 128B.
    const CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    // END TODO(2)

    CUtensorMap map;
    const int rows = count * ROWS;
    const cuuint64_t size[] = {4 * cuuint64_t(UNITS), cuuint64_t(rows)}, stride[] = {16 * UNITS};
    const cuuint32_t box[] = {4 * UNITS, ROWS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, out, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    transpose<<<count, THREADS, 0, stream>>>(in, map);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
