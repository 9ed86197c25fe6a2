// Drill 15.6: before the next matrix
// A warp stores a tile to one matrix after another. It has two tiles, so that the store of one may overlap the writing
// of the next, but only one map. A copy may read its map until the copy is complete; for stores, wait_group.read covers
// the map, too. Choose N, so that nothing is changed while a store may still be reading it.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 4;

// Copies `scratch`, which one lane has written, to `map` in global memory. The calling warp may use `map` afterwards.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch) {
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, ptx::n32_t<128>{});
}

__global__ void __launch_bounds__(32)
    fill(float* const* matrices, int count, const __grid_constant__ CUtensorMap form, CUtensorMap* map) {
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) float tiles[2][HEIGHT][WIDTH];
    if (threadIdx.x == 0)
        scratch = form;
    for (int m = 0; m < count; ++m) {
        // TODO(1): how many stores may still be reading when this round begins?
        constexpr int pending = 0;
        // END TODO(1)

        if (threadIdx.x == 0) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<pending>{});
            ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, matrices[m]);
        }
        publish(map, &scratch);
        auto& tile = tiles[m % 2];
        for (int r = 0; r < HEIGHT; ++r)
            tile[r][threadIdx.x] = float(m * 1000 + r * WIDTH + threadIdx.x);
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x == 0) {
            const int at[] = {0, 0};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, tile);
            ptx::cp_async_bulk_commit_group();
        }
        __syncwarp();
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

/// `matrices`: `count` pointers to four contiguous rows of 32 values each. Matrix m becomes 1000 m, 1000 m + 1 and so
/// on.
cudaError_t launch(float* const* matrices, int count, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {WIDTH * sizeof(float)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    CUtensorMap* map; // of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&map, sizeof(CUtensorMap), stream))
        return error;
    fill<<<1, 32, 0, stream>>>(matrices, count, form, map);
    cudaFreeAsync(map, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
