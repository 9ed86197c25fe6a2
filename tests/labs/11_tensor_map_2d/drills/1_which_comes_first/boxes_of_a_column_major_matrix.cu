// expect: case "boxes of a column-major matrix"
// Drill 11.1: which dimension comes first?
// A matrix in column-major order, as in BLAS: the elements of a *column* are adjacent in memory, and a column begins
// every `ld` elements. Blocks load boxes of 32 rows and 8 columns. Describe the matrix and the box. Sizes and boxes
// count elements, strides count bytes, and the dimension whose elements are adjacent comes first.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

constexpr int BOX_ROWS = 32, BOX_COLUMNS = 8, THREADS = BOX_ROWS * BOX_COLUMNS;

/// Makes a map of the column-major matrix.
CUresult make_map(CUtensorMap* map, float* matrix, int rows, int columns, int ld) {
    // TODO(1): sizes, stride and box.
    const cuuint64_t size[] = {cuuint64_t(rows), cuuint64_t(columns)};
    const cuuint64_t stride[] = {cuuint64_t(ld)}; // elements, not bytes
    const cuuint32_t box[] = {BOX_ROWS, BOX_COLUMNS};
    // END TODO(1)
    const cuuint32_t step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, size, stride, box, step,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

__global__ void __launch_bounds__(THREADS) gather_boxes(const __grid_constant__ CUtensorMap map, float* out) {
    __shared__ alignas(128) float box[BOX_COLUMNS][BOX_ROWS]; // column by column, as in memory
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int begin[] = {int(blockIdx.x) * BOX_ROWS, int(blockIdx.y) * BOX_COLUMNS};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof box);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, begin, &full);
    }
    __syncthreads();
    wait(&full, 0);
    out[(blockIdx.y * gridDim.x + blockIdx.x) * THREADS + threadIdx.x] = (&box[0][0])[threadIdx.x];
}

/// `matrix` is 16-byte aligned, rows a multiple of 32, columns of 8, ld of 4. `out` receives box after box.
cudaError_t launch(float* matrix, int rows, int columns, int ld, float* out, cudaStream_t stream) {
    CUtensorMap map;
    if (make_map(&map, matrix, rows, columns, ld) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    gather_boxes<<<dim3(rows / BOX_ROWS, columns / BOX_COLUMNS), THREADS, 0, stream>>>(map, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
