// Drill 25.2: scatter four rows
// Row i of the input, doubled, becomes row index[i] of the result. The threads of a block write 16 rows to shared
// memory, and four lanes store four of them each, with one copy,
// `ptx::cp_async_bulk_tensor_tile_scatter4(ptx::space_global, ptx::space_shared, &map, at, from)`. `at` is as for a
// gather. A row that the result does not have is dropped. Like every store from shared memory, it reads through the
// async proxy, and belongs to a bulk async-group of its lane.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int COLUMNS = 32; // a row has 128 bytes
constexpr int ROWS = 16;    // of a block

__global__ void __launch_bounds__(32)
    spread(const __grid_constant__ CUtensorMap result, const float* x, const int* index) {
    [[maybe_unused]] __shared__ alignas(128) float rows[ROWS][COLUMNS];
    const int lane = threadIdx.x, begin = blockIdx.x * ROWS;
    for (int row = 0; row < ROWS; ++row)
        rows[row][lane] = 2 * x[(begin + row) * COLUMNS + lane];
    // TODO(1): the copies will read what all lanes have written.
    // END TODO(1)
    if (lane < ROWS / 4) {
        [[maybe_unused]] const int* four = index + begin + 4 * lane;
        // TODO(2): scatter rows[4 * lane] and the next three to the rows four[0] to four[3]. Until when must the block
        // stay?
        // END TODO(2)
    }
}

/// `x`: 16 rows of 32 elements for each block. `index`: a number for each of them. `result`: `count` rows.
cudaError_t launch(const float* x, const int* index, float* result, int count, int blocks, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {COLUMNS, cuuint64_t(count)}, pitch[] = {sizeof(float) * COLUMNS};
    const cuuint32_t box[] = {COLUMNS, 1}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, result, size, pitch, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    spread<<<blocks, 32, 0, stream>>>(map, x, index);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
