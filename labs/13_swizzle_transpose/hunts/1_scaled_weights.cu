// Hunt 13.h1: scaled weights
// A block reads quantised weights, tile by tile, from two stages, multiplies each column by its scale and writes the
// transposed tile. Since the scales are loaded into the stage, too, and no longer read from global memory, every second
// tile is wrong.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int COLUMNS = 32, ROWS = 8; // of a tile: 1024 bytes, one period of the 128-byte swizzle
constexpr int STAGES = 2;
constexpr int THREADS = 64;

struct Stage {
    alignas(128) uint32_t weights[ROWS][COLUMNS];
    alignas(128) uint32_t scales[COLUMNS];
};

struct Shared {
    Stage stages[STAGES];
    uint64_t full[STAGES];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Loads tile k and its scales into their stage.
__device__ void load(Shared& shared, const CUtensorMap* weights, const uint32_t* scales, int k) {
    Stage& stage = shared.stages[k % STAGES];
    uint64_t* full = &shared.full[k % STAGES];
    const int at[] = {0, k * ROWS};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full,
                                   sizeof stage.weights + sizeof stage.scales);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage.weights, weights, at, full);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage.scales, scales + k * COLUMNS, sizeof stage.scales,
                       full);
}

// Returns the weight in that row and column of a swizzled tile.
__device__ uint32_t weight(const Stage& stage, int row, int column) {
    const int unit = column / 4 ^ row % 8;
    return stage.weights[row][4 * unit + column % 4];
}

__global__ void __launch_bounds__(THREADS)
    scale(const __grid_constant__ CUtensorMap weights, const uint32_t* scales, uint32_t* out, int tiles) {
    __shared__ Shared shared;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i)
            ptx::mbarrier_init(&shared.full[i], 1);
    __syncthreads();

    if (threadIdx.x == 0)
        for (int k = 0; k < min(STAGES, tiles); ++k)
            load(shared, &weights, scales, k);
    for (int k = 0; k < tiles; ++k) {
        const Stage& stage = shared.stages[k % STAGES];
        wait(&shared.full[k % STAGES], k / STAGES % 2);
        for (int i = threadIdx.x; i < ROWS * COLUMNS; i += THREADS) {
            const int row = i % ROWS, column = i / ROWS;
            out[(k * COLUMNS + column) * ROWS + row] = stage.scales[column] * weight(stage, row, column);
        }
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads(); // every thread has read the stage
        if (threadIdx.x == 0 && k + STAGES < tiles)
            load(shared, &weights, scales, k + STAGES);
    }
}

/// `weights`: `tiles` times eight rows of 32. `scales`: 32 for each tile. `out`: `tiles` times 32 rows of eight.
cudaError_t launch(const uint32_t* weights, const uint32_t* scales, uint32_t* out, int tiles, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {COLUMNS, cuuint64_t(tiles) * ROWS}, stride[] = {COLUMNS * sizeof(uint32_t)};
    const cuuint32_t box[] = {COLUMNS, ROWS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint32_t*>(weights), size, stride,
                               box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    scale<<<1, THREADS, 0, stream>>>(map, scales, out, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
