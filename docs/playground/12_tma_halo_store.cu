// Each block walks down a strip of the matrix. It loads tiles with their halo, sums the four neighbours of each element,
// and stores the sums.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int columns = 32, rows = 8;         // of a tile
constexpr int left = LEFT, width = columns + 8; // of its halo, and of the box

__global__ void neighbours(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int tiles) {
    __shared__ alignas(128) float tile[rows + 2][width];
    __shared__ alignas(128) float sums[rows][columns];
    __shared__ uint64_t full;
    const int x = threadIdx.x % columns, y = threadIdx.x / columns;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    for (int k = 0; k < tiles; ++k) {
        const int column = columns * blockIdx.x, row = rows * k;
        if (threadIdx.x == 0) {
            const int32_t at[] = {column - left, row - 1}; // part of the halo is outside the matrix
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &full);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        }
        while (!ptx::mbarrier_try_wait_parity(&full, k % 2)) {
        }
        const float* middle = &tile[y + 1][x + left];
        sums[y][x] = middle[-1] + middle[1] + middle[-width] + middle[width];
#if FENCE == yes
        ptx::fence_proxy_async(ptx::space_shared);
#endif
        __syncthreads(); // the sums have been written, and the tile has been read
        if (threadIdx.x == 0) {
            const int32_t at[] = {column, row};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, sums);
            ptx::cp_async_bulk_commit_group();
#if READ == yes
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // the sums may be overwritten
#endif
        }
        __syncthreads();
    }
#if READ == no
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // only at the end
#endif
}
