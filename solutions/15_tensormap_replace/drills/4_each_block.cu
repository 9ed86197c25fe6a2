// Drill 15.4: each block acquires
// The first block of a cluster makes a map, and both blocks load with it. The cluster barrier orders the threads of the
// second block after the release, but it does nothing to the maps that the copy unit has cached. Acquire the map where
// it is needed: ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cluster, map, ptx::n32_t<128>{}).
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 2, WIDTH = 32, HEIGHT = 4;

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(WIDTH)
    gather(const float* const* parts, float* out, const __grid_constant__ CUtensorMap form, CUtensorMap* maps) {
    __shared__ alignas(128) CUtensorMap scratch;
    __shared__ alignas(128) float tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = cluster.block_rank(), part = blockIdx.x / CLUSTER;
    CUtensorMap* map = &maps[part];
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    if (rank == 0) {
        if (threadIdx.x == 0) {
            scratch = form;
            ptx::tensormap_replace_global_address(ptx::space_shared, &scratch, parts[part]);
        }
        __syncwarp();
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cluster, map, &scratch, ptx::n32_t<128>{});
    }

    // TODO(1): let both blocks use the map.
    cluster.sync();
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cluster, map, ptx::n32_t<128>{});
    // END TODO(1)

    const int y = rank * HEIGHT;
    if (threadIdx.x == 0) {
        const int at[] = {0, y};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &full);
    }
    __syncthreads();
    wait(&full, 0);
    for (int r = 0; r < HEIGHT; ++r)
        out[((part * CLUSTER + rank) * HEIGHT + r) * WIDTH + threadIdx.x] = tile[r][threadIdx.x];
}

/// `parts`: `count` pointers, to eight contiguous rows of 32 values each. `out`: all of these rows.
cudaError_t launch(const float* const* parts, float* out, int count, cudaStream_t stream) {
    constexpr int ROWS = CLUSTER * HEIGHT;
    CUtensorMap form;
    const cuuint64_t size[] = {WIDTH, ROWS}, stride[] = {WIDTH * sizeof(float)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    CUtensorMap* maps; // one per cluster, of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&maps, count * sizeof(CUtensorMap), stream))
        return error;
    gather<<<count * CLUSTER, WIDTH, 0, stream>>>(parts, out, form, maps);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
