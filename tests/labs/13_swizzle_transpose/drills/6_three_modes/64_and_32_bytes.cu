// expect: case "64 and 32 bytes"
// The number of the row instead of that of the line: the same thing in the 128-byte mode only.
// Drill 13.6: three modes, one formula
// Rows of 32, 64 or 128 bytes are loaded with the swizzle of the same span, so a line of 128 bytes holds four rows,
// two, or one. The modes differ only in how many bits of the line's number they XOR: one, two or three. Write one
// formula for all of them. The tile begins at a multiple of 1024.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int ROWS = 32;

template <int SPAN>
constexpr int UNITS = SPAN / 16; // of a row

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Returns the index of the unit in that row and column of the tile.
template <int SPAN>
__device__ int place(int row, int column) {
    const int linear = row * UNITS<SPAN> + column;
    // TODO(1): which line is the unit in, and how many bits of that number count?
    return linear ^ row % UNITS<SPAN>;
    // END TODO(1)
}

template <int SPAN>
__global__ void __launch_bounds__(ROWS) transpose(const __grid_constant__ CUtensorMap map, uint4* out) {
    __shared__ alignas(1024) uint4 tile[ROWS * UNITS<SPAN>];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
    }
    __syncthreads();
    wait(&full, 0);
    for (int column = 0; column < UNITS<SPAN>; ++column)
        out[column * ROWS + threadIdx.x] = tile[place<SPAN>(threadIdx.x, column)];
}

/// `in`: 32 rows of `span` bytes: 32, 64 or 128. `out`: the transpose, in units of 16 bytes.
cudaError_t launch(const uint4* in, uint4* out, int span, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {cuuint64_t(span / 4), ROWS}, stride[] = {cuuint64_t(span)};
    const cuuint32_t box[] = {cuuint32_t(span / 4), ROWS}, step[] = {1, 1};
    const auto swizzle = span == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
                         : span == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                                      : CU_TENSOR_MAP_SWIZZLE_32B;
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint4*>(in), size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    auto* kernel = span == 128 ? transpose<128> : span == 64 ? transpose<64> : transpose<32>;
    kernel<<<1, ROWS, 0, stream>>>(map, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
