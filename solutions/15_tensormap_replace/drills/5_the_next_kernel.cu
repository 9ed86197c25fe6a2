// Drill 15.5: the next kernel
// One kernel makes the maps of a batch, and the next one in the stream loads with them. Stream order makes ordinary
// memory of the first kernel visible to the second. Is that enough for a tensor map? The first kernel has released its
// maps with the scope of the GPU. Write what the second one still needs.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 4;

// A block of one warp for each map.
__global__ void __launch_bounds__(32)
    make_maps(const float* const* parts, const __grid_constant__ CUtensorMap form, CUtensorMap* maps) {
    __shared__ alignas(128) CUtensorMap scratch;
    if (threadIdx.x == 0) {
        scratch = form;
        ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, parts[blockIdx.x]);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &maps[blockIdx.x], &scratch, ptx::n32_t<128>{});
}

__global__ void __launch_bounds__(WIDTH) gather(const CUtensorMap* maps, float* out) {
    __shared__ alignas(128) float tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    const CUtensorMap* map = &maps[blockIdx.x];
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);

        // TODO(1): what else, before the copy uses the map?
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>{});
        // END TODO(1)

        const int at[] = {0, 0};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    for (int r = 0; r < HEIGHT; ++r)
        out[(blockIdx.x * HEIGHT + r) * WIDTH + threadIdx.x] = tile[r][threadIdx.x];
}

/// `parts`: `count` pointers, to four contiguous rows of 32 values each. `out`: all of these rows.
cudaError_t launch(const float* const* parts, float* out, int count, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size[] = {WIDTH, HEIGHT}, stride[] = {WIDTH * sizeof(float)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    CUtensorMap* maps; // of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&maps, count * sizeof(CUtensorMap), stream))
        return error;
    make_maps<<<count, 32, 0, stream>>>(parts, form, maps);
    gather<<<count, WIDTH, 0, stream>>>(maps, out);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
