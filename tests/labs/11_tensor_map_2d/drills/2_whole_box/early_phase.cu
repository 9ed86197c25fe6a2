// expect: early-phase
// Drill 11.2: bytes of an edge box
// A block finds the largest number of each tile. Tiles at the right and lower edge reach out of the matrix, and the
// numbers outside arrive as zeros, which never win here. How many bytes does the issuer announce, for any tile?
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

__global__ void tile_maxima(const __grid_constant__ CUtensorMap map, int rows, int columns, unsigned* out) {
    __shared__ alignas(128) unsigned tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    const int begin[] = {int(blockIdx.x) * WIDTH, int(blockIdx.y) * HEIGHT}; // x, y
    [[maybe_unused]] const int inside_x = min(columns - begin[0], WIDTH), inside_y = min(rows - begin[1], HEIGHT);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        // TODO(1): how many bytes arrive?
        const unsigned announced = WIDTH * inside_y * sizeof(unsigned); // whole rows, but not all of them
        // END TODO(1)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, announced);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, begin, &full);
    }
    __syncwarp();
    wait(&full, 0);
    unsigned most = 0;
    for (int y = 0; y < HEIGHT; ++y)
        most = max(most, tile[y][threadIdx.x]);
    most = __reduce_max_sync(~0u, most);
    if (threadIdx.x == 0)
        out[blockIdx.y * gridDim.x + blockIdx.x] = most;
}

/// `matrix` has `rows` rows of `columns` numbers, columns a multiple of 4, and is 16-byte aligned.
cudaError_t launch(unsigned* matrix, int rows, int columns, unsigned* out, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(unsigned)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, matrix, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    const dim3 grid((columns + WIDTH - 1) / WIDTH, (rows + HEIGHT - 1) / HEIGHT);
    tile_maxima<<<grid, WIDTH, 0, stream>>>(map, rows, columns, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
