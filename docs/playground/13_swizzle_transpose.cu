// A warp reads a tile by columns. The unit has written its rows swizzled, or as they are.
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int units = 8; // of 16 bytes, in a row

__global__ void columns(const __grid_constant__ CUtensorMap swizzled, const __grid_constant__ CUtensorMap plain, float4* out) {
    __shared__ alignas(1024) float4 tile[32][units];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        const int32_t at[] = {0, 0};
#if SWIZZLE == on
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &swizzled, at, &full);
#else
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &plain, at, &full);
#endif
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
    }
    const int row = threadIdx.x;
    for (int unit = 0; unit < units; ++unit) {
#if PLACE == eight
        const int place = unit ^ row % 8;
#elif PLACE == four
        const int place = unit ^ row % 4;
#else
        const int place = unit;
#endif
        out[32 * unit + row] = tile[row][place];
    }
}
