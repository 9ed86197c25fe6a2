// Drill 12.4: when is it free?
// A block stores one tile after another, from two buffers in turn, so the store of one tile overlaps the writing of the
// next. The barrier after the writing says that a tile is complete. Let it also say that the other buffer is free,
// where all threads write in the next round: the store from there must have read it. Thread 0 issues all stores, and
// each is a group of its own. ptx::cp_async_bulk_wait_group_read(ptx::n32_t<N>{}) waits until all but the N youngest
// groups of this thread have read their sources.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 4, THREADS = WIDTH * HEIGHT;

__global__ void __launch_bounds__(THREADS) fill_table(const __grid_constant__ CUtensorMap table, int rows) {
    __shared__ alignas(128) float tiles[2][HEIGHT][WIDTH];
    const int row = threadIdx.x / WIDTH, column = threadIdx.x % WIDTH;
    for (int k = 0; k * HEIGHT < rows; ++k) {
        auto& tile = tiles[k % 2]; // free since the barrier of the round before
        tile[row][column] = float((k * HEIGHT + row) * column);
        ptx::fence_proxy_async(ptx::space_shared);
        // TODO(1): wait until the other buffer is free. Which thread can wait, for which N, and how do the others learn
        // it?
        if (threadIdx.x == 0)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
        __syncthreads();
        // END TODO(1)
        if (threadIdx.x == 0) {
            const int at[] = {0, k * HEIGHT};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &table, at, tile);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

CUresult make_map(CUtensorMap* map, const float* image, int rows, int columns, cuuint32_t box_width,
                  cuuint32_t box_height) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(float)};
    const cuuint32_t box[] = {box_width, box_height}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(image), size, stride, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `table`: `rows` contiguous rows of 32 values. table[y][x] becomes x * y.
cudaError_t launch(float* table, int rows, cudaStream_t stream) {
    CUtensorMap map;
    if (make_map(&map, table, rows, WIDTH, WIDTH, HEIGHT))
        return cudaErrorInvalidValue;
    fill_table<<<1, THREADS, 0, stream>>>(map, rows);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
