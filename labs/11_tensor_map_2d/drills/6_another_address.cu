// Drill 11.6: the same map, another array
// Two arrays have the same shape. One map is enough: after the first launch, which has its own copy of the map, give
// the map the address of the second array. You need CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void*
// address). The layout of a map's 128 bytes is not documented, so do not write to them yourself.
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

__global__ void sum_tiles(const __grid_constant__ CUtensorMap map, unsigned* sums) {
    __shared__ alignas(128) unsigned tile[HEIGHT][WIDTH];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory"); // fetched while the barrier is initialised
        ptx::mbarrier_init(&full, 1);
        const int begin[] = {0, int(blockIdx.x) * HEIGHT};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, begin, &full);
    }
    __syncwarp();
    wait(&full, 0);
    unsigned sum = 0;
    for (int y = 0; y < HEIGHT; ++y)
        sum += tile[y][threadIdx.x];
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

/// `first` and `second` have `rows` rows of 32 numbers, 16-byte aligned. `sums`: one number for each tile of the first
/// array, then of the second.
cudaError_t launch(unsigned* first, unsigned* second, int rows, unsigned* sums, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {WIDTH, cuuint64_t(rows)}, stride[] = {WIDTH * sizeof(unsigned)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, first, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    const int tiles = (rows + HEIGHT - 1) / HEIGHT;
    sum_tiles<<<tiles, WIDTH, 0, stream>>>(map, sums);
    // TODO(1): make it a map of the second array.
    // (placeholder: it is still a map of the first array)
    // END TODO(1)
    sum_tiles<<<tiles, WIDTH, 0, stream>>>(map, sums + tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
