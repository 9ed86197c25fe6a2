// Drill 15.3: publish a map
// A block of one warp makes its map in shared memory and copies it to global memory, where the copy unit reads it. But
// the copy unit reads maps through a proxy of its own. Replace the ordinary copy: order the other lanes after lane 0,
// copy and release with the whole warp, and acquire. You need:
//   ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, to, from, ptx::n32_t<128>{})        the whole warp
//   ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, ptx::n32_t<128>{})
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 4;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// `rows`: where the block's rows begin.
__global__ void __launch_bounds__(32)
    gather(const float* const* rows, float* out, const __grid_constant__ CUtensorMap form, CUtensorMap* maps) {
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) float tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    CUtensorMap* map = &maps[blockIdx.x];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        scratch = form;
        ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, rows[blockIdx.x]);
    }

    // TODO(1): publish `scratch` as `map`.
    if (threadIdx.x == 0)
        *map = scratch; // placeholder
    // END TODO(1)

    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &full);
    }
    __syncwarp();
    wait(&full, 0);
    for (int r = 0; r < HEIGHT; ++r)
        out[(blockIdx.x * HEIGHT + r) * WIDTH + threadIdx.x] = tile[r][threadIdx.x];
}

/// `rows`: `count` pointers, to four contiguous rows of 32 values each. `out`: all of these rows.
cudaError_t launch(const float* const* rows, float* out, int count, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {WIDTH * sizeof(float)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    CUtensorMap* maps; // one per block, of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&maps, count * sizeof(CUtensorMap), stream))
        return error;
    gather<<<count, 32, 0, stream>>>(rows, out, form, maps);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
