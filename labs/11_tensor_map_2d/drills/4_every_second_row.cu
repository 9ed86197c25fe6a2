// Drill 11.4: every second row
// An interlaced picture: even rows are one field, odd rows the other. Each block loads eight rows of a field with one
// copy. With an element stride of 2 in a dimension, a box of n elements covers n but loads only every second one, n /
// 2. Choose the box and the element strides.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

// Returns when the phase of that parity is complete.
__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

constexpr int WIDTH = 64, ROWS = 8; // of a block's tile

__global__ void __launch_bounds__(WIDTH)
    separate(const __grid_constant__ CUtensorMap map, unsigned* fields, int field_rows) {
    __shared__ alignas(128) unsigned tile[ROWS][WIDTH];
    __shared__ uint64_t full;
    const int field = blockIdx.y, first = blockIdx.x * ROWS; // the first row of the field
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int begin[] = {0, 2 * first + field}; // x, y
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, begin, &full);
    }
    __syncthreads();
    wait(&full, 0);
    for (int y = 0; y < ROWS && first + y < field_rows; ++y)
        fields[(field * field_rows + first + y) * WIDTH + threadIdx.x] = tile[y][threadIdx.x];
}

/// `picture` has `rows` rows of 64 pixels, rows even, and is 16-byte aligned. `fields`: first the even rows, then the
/// odd ones.
cudaError_t launch(unsigned* picture, int rows, unsigned* fields, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {WIDTH, cuuint64_t(rows)}, stride[] = {WIDTH * sizeof(unsigned)};
    // TODO(1): a box that loads ROWS rows, every second one.
    const cuuint32_t box[] = {WIDTH, ROWS}, element_stride[] = {1, 1}; // placeholder: loads adjacent rows
    // END TODO(1)
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, picture, size, stride, box, element_stride,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    separate<<<dim3((rows / 2 + ROWS - 1) / ROWS, 2), WIDTH, 0, stream>>>(map, fields, rows / 2);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
