// expect: case "a matrix of 64 x 32"
// Dimension 0 has the columns.
// Drill 20.2: what differs
// The way out of one tile. The map of D is a template that has the type, the box and the swizzle. Replace the four
// fields that differ from matrix to matrix, and publish the map. Then TMA stores the tile and clips it at the edges of
// D, so no thread compares a row or a column. Which dimension is which, and what does the pitch count?
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int ROWS = 32, COLUMNS = 32; // of a tile, 4 bytes each

struct Matrix {
    uint32_t* d;
    int rows, columns, pitch; // elements; the pitch is a multiple of 4
};

__device__ CUtensorMap map;

__global__ void __launch_bounds__(32) fill(Matrix matrix, const __grid_constant__ CUtensorMap form) {
    using ptx::n32_t, ptx::space_shared;
    __shared__ alignas(128) uint32_t tile[ROWS][COLUMNS];
    [[maybe_unused]] __shared__ alignas(128) CUtensorMap scratch;
    if (threadIdx.x == 0) {
        scratch = form;
        // TODO(1): the address, the two sizes, the pitch.
        ptx::tensormap_replace_global_address(space_shared, &scratch, matrix.d);
        ptx::tensormap_replace_global_dim(space_shared, &scratch, n32_t<0>{}, matrix.rows);
        ptx::tensormap_replace_global_dim(space_shared, &scratch, n32_t<1>{}, matrix.columns);
        ptx::tensormap_replace_global_stride(space_shared, &scratch, n32_t<0>{}, 4 * uint64_t(matrix.pitch));
        // END TODO(1)
    }
    __syncwarp();
    // TODO(2): release and acquire.
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, &map, &scratch, n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, &map, n32_t<128>{});
    // END TODO(2)

    for (int y = 0; y < matrix.rows; y += ROWS)
        for (int x = 0; x < matrix.columns; x += COLUMNS) {
            for (int row = 0; row < ROWS; ++row)
                tile[row][threadIdx.x] = (y + row) * 1000 + x + threadIdx.x;
            ptx::fence_proxy_async(ptx::space_shared);
            __syncwarp();
            if (threadIdx.x == 0) {
                const int to[] = {x, y};
                ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, to, tile);
                ptx::cp_async_bulk_commit_group();
                ptx::cp_async_bulk_wait_group_read(n32_t<0>{});
            }
            __syncwarp();
        }
}

/// Element (r, c) of the matrix becomes 1000 r + c. The padding is not written.
cudaError_t launch(uint32_t* d, int rows, int columns, int pitch, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size[] = {COLUMNS, ROWS}, stride[] = {COLUMNS * sizeof(uint32_t)};
    const cuuint32_t box[] = {COLUMNS, ROWS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    fill<<<1, 32, 0, stream>>>(Matrix{d, rows, columns, pitch}, form);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
