// expect: exit-before-completion
// The block exits while the store may still read the tile.
// Drill 12.3: store a tile
// Each block writes a tile of a table to shared memory, and the copy unit stores it. It clips tiles at the right and
// lower edge. Order the threads' writes before the store, and keep the block alive until the store has read the tile.
// You need:
//   ptx::fence_proxy_async(ptx::space_shared)                     ordinary writes become visible to the copy unit
//   ptx::cp_async_bulk_commit_group()                             a group of this thread's stores
//   ptx::cp_async_bulk_wait_group_read(ptx::n32_t<N>{})           waits until all but N groups have read their sources
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 8, THREADS = 128;

__global__ void __launch_bounds__(THREADS) fill_table(const __grid_constant__ CUtensorMap table) {
    __shared__ alignas(128) float tile[HEIGHT][WIDTH];
    const int x = blockIdx.x * WIDTH, y = blockIdx.y * HEIGHT;
    for (int i = threadIdx.x; i < WIDTH * HEIGHT; i += THREADS)
        tile[i / WIDTH][i % WIDTH] = float((x + i % WIDTH) * (y + i / WIDTH));

    // TODO(1): what comes before the store, and what after it?
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {x, y};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &table, at, tile);
        ptx::cp_async_bulk_commit_group();
    }
    // END TODO(1)
}

CUresult make_map(CUtensorMap* map, const float* image, int rows, int columns, cuuint32_t box_width,
                  cuuint32_t box_height) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(float)};
    const cuuint32_t box[] = {box_width, box_height}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(image), size, stride, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `table`: `rows` contiguous rows of `columns` values, a multiple of 4. table[y][x] becomes x * y.
cudaError_t launch(float* table, int rows, int columns, cudaStream_t stream) {
    CUtensorMap map;
    if (make_map(&map, table, rows, columns, WIDTH, HEIGHT))
        return cudaErrorInvalidValue;
    const dim3 tiles((columns + WIDTH - 1) / WIDTH, (rows + HEIGHT - 1) / HEIGHT);
    fill_table<<<tiles, THREADS, 0, stream>>>(map);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
