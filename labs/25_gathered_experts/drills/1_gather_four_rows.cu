// Drill 25.1: gather four rows
// Row i of the result is row index[i] of a table. Each block looks up 16 rows: four lanes load four of them each, with
// one copy, `ptx::cp_async_bulk_tensor_tile_gather4(ptx::space_shared, ptx::space_global, to, &map, at, &barrier)`. The
// map describes the table, and its box is one row. `at` has five numbers: the column where the rows begin, then the
// four rows. They arrive one behind the other. For a row that the table does not have, zeros arrive, and they count as
// bytes, too. How many bytes are announced?
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int COLUMNS = 32; // a row has 128 bytes
constexpr int ROWS = 16;    // of a block

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__global__ void __launch_bounds__(32) look_up(const __grid_constant__ CUtensorMap table, const int* index, float* out) {
    __shared__ alignas(128) float rows[ROWS][COLUMNS];
    __shared__ uint64_t full;
    const int lane = threadIdx.x, begin = blockIdx.x * ROWS;
    if (lane == 0)
        ptx::mbarrier_init(&full, 1);
    __syncwarp();
    // TODO(1): lane 0 announces the bytes of all rows.
    // END TODO(1)
    if (lane < ROWS / 4) {
        [[maybe_unused]] const int* four = index + begin + 4 * lane;
        // TODO(2): gather the rows four[0] to four[3] to rows[4 * lane].
        // END TODO(2)
    }
    __syncwarp();
    wait(&full, 0);
    for (int row = 0; row < ROWS; ++row)
        out[(begin + row) * COLUMNS + lane] = rows[row][lane];
}

/// `table`: `count` rows of 32 elements. `index`: 16 numbers of rows for each block. `out`: as many rows.
cudaError_t launch(const float* table, int count, const int* index, float* out, int blocks, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {COLUMNS, cuuint64_t(count)}, pitch[] = {sizeof(float) * COLUMNS};
    const cuuint32_t box[] = {COLUMNS, 1}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(table), size, pitch, box,
                               step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    look_up<<<blocks, 32, 0, stream>>>(map, index, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
