// Each block loads a tile of a matrix through a tensor map and writes it back transposed.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void transpose(const __grid_constant__ CUtensorMap map, float* out, int rows, int columns) {
    __shared__ alignas(128) float tile[16][16];
    __shared__ uint64_t full;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const int column = 16 * blockIdx.x, row = 16 * blockIdx.y;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
#if ORDER == right
        const int32_t at[] = {column, row}; // the fastest dimension first
#else
        const int32_t at[] = {row, column};
#endif
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, at, &full);
#if BYTES == tile
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
#else
        const int inside = 4 * min(16, columns - column) * min(16, rows - row);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, inside);
#endif
    }
    __syncthreads(); // the barrier has been initialised
#if WAIT == yes
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
#endif
    if (column + y < columns && row + x < rows)
        out[(column + y) * rows + row + x] = tile[x][y];
}
