// Hunt 25.h2: one row in four
// Each block adds up the rows of a table that a list names, in steps of 16 rows. The loads of all steps are under way
// at once. When the table is in the L2 cache, the sums are right. When it is not, most of them lack rows.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int COLUMNS = 32; // a row has 128 bytes
constexpr int ROWS = 16;    // of a step
constexpr int STEPS = 6;

struct Shared {
    alignas(128) float rows[STEPS][ROWS][COLUMNS];
    uint64_t full[STEPS];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Loads 16 rows: four lanes gather four each. Called by all lanes of a warp.
__device__ void load(Shared& s, const CUtensorMap& table, const int* index, int step) {
    const int lane = threadIdx.x;
    if (lane == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[step],
                                       ROWS / 4 * sizeof s.rows[step][0]);
    if (lane < ROWS / 4) {
        const int* four = index + step * ROWS + 4 * lane;
        const int at[] = {0, four[0], four[1], four[2], four[3]};
        ptx::cp_async_bulk_tensor_tile_gather4(ptx::space_shared, ptx::space_global, s.rows[step][4 * lane], &table, at,
                                               &s.full[step]);
    }
    __syncwarp();
}

__global__ void __launch_bounds__(32)
    add_rows(const __grid_constant__ CUtensorMap table, const int* index, float* out) {
    __shared__ Shared s;
    const int lane = threadIdx.x;
    index += blockIdx.x * STEPS * ROWS;
    if (lane == 0)
        for (int i = 0; i < STEPS; ++i)
            ptx::mbarrier_init(&s.full[i], 1);
    __syncwarp();
    for (int step = 0; step < STEPS; ++step)
        load(s, table, index, step);
    float sum = 0;
    for (int step = 0; step < STEPS; ++step) {
        wait(&s.full[step], 0);
        for (int row = 0; row < ROWS; ++row)
            sum += s.rows[step][row][lane];
    }
    out[blockIdx.x * COLUMNS + lane] = sum;
}

/// `table`: `count` rows of 32 elements. `index`: 96 numbers of rows for each block. `out`: a row for each block.
cudaError_t launch(const float* table, int count, const int* index, float* out, int blocks, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {COLUMNS, cuuint64_t(count)}, pitch[] = {sizeof(float) * COLUMNS};
    const cuuint32_t box[] = {COLUMNS, 1}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(table), size, pitch, box,
                               step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    add_rows<<<blocks, 32, 0, stream>>>(map, index, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
