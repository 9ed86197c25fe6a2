// expect: case "32 rows"
// The pattern of the 128-byte mode: three bits instead of two.
// Drill 13.3: half a line
// Rows of 64 bytes are loaded with the 64-byte swizzle. Two rows share a line of 128 bytes, and the line's number
// decides: unit u of line l goes to u ^ l % 4, where u counts all eight units of the line. Find the unit in `column` (0
// to 3) of a row. The tile begins at a multiple of 512 bytes, where the pattern begins.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int UNITS = 4, ROWS = 32; // a row has four units of 16 bytes
constexpr int THREADS = UNITS * ROWS;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Returns the index of a 16-byte unit of the tile.
__device__ int place(int row, int column) {
    const int linear = row * UNITS + column;
    // TODO(1): which line is it in? XOR the two lowest bits.
    return linear ^ linear / 8 % 8;
    // END TODO(1)
}

__global__ void __launch_bounds__(THREADS) transpose(const __grid_constant__ CUtensorMap map, uint4* out) {
    __shared__ alignas(512) uint4 tile[ROWS * UNITS];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
    }
    __syncthreads();
    wait(&full, 0);
    out[threadIdx.x] = tile[place(threadIdx.x % ROWS, threadIdx.x / ROWS)];
}

/// `in`: 32 rows of four units. `out`: four rows of 32 units, the transpose.
cudaError_t launch(const uint4* in, uint4* out, cudaStream_t stream) {
    CUtensorMap map;
    const int rows = ROWS;
    const cuuint64_t size[] = {4 * cuuint64_t(UNITS), cuuint64_t(rows)}, stride[] = {16 * UNITS};
    const cuuint32_t box[] = {4 * UNITS, ROWS}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint4*>(in), size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_64B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    transpose<<<1, THREADS, 0, stream>>>(map, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
