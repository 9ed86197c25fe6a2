// Drill 11.5: a third dimension
// The matrices of a batch follow each other in memory. Each block adds up the columns of one tile. The map below
// treats the batch as one tall matrix, so a tile at the lower edge of a matrix gets rows of the next one. Make the
// batch a third dimension: then the rows outside arrive as zeros. Give sizes, strides (two of them now) and box, and
// the coordinates.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

constexpr int WIDTH = 32, HEIGHT = 8;

__global__ void add_columns(const __grid_constant__ CUtensorMap map, int rows, unsigned* sums) {
    __shared__ alignas(128) unsigned tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    const int y = blockIdx.x * HEIGHT, z = blockIdx.y; // the first row, and which matrix
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        // TODO(1): where does the tile begin?
        const int begin[] = {0, z * rows + y, 0}; // placeholder
        // END TODO(1)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, begin, &full);
    }
    __syncwarp();
    wait(&full, 0);
    unsigned sum = 0;
    for (int i = 0; i < HEIGHT; ++i) // no test for the last row
        sum += tile[i][threadIdx.x];
    sums[(z * gridDim.x + blockIdx.x) * WIDTH + threadIdx.x] = sum;
}

/// `batch` matrices of `rows` rows of 32 numbers, 16-byte aligned. `sums`: 32 numbers for each tile of each matrix.
cudaError_t launch(unsigned* matrices, int rows, int batch, unsigned* sums, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t row_bytes = WIDTH * sizeof(unsigned);
    // TODO(2): the map of the batch.
    const cuuint64_t size[] = {WIDTH, cuuint64_t(rows) * batch, 1};    // placeholder: one tall matrix
    const cuuint64_t stride[] = {row_bytes, rows * batch * row_bytes}; // placeholder
    const cuuint32_t box[] = {WIDTH, HEIGHT, 1};
    // END TODO(2)
    const cuuint32_t step[] = {1, 1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, matrices, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    add_columns<<<dim3((rows + HEIGHT - 1) / HEIGHT, batch), WIDTH, 0, stream>>>(map, rows, sums);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
