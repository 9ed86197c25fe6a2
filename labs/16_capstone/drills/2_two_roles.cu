// Drill 16.2: two roles
// The second checkpoint: the ring. Warp 0 loads tiles into four stages, and warps 1 and 2 add them up. Both roles count
// laps for themselves. The producer may write to a stage when both consumer warps have arrived on `empty`; in the first
// lap nobody has, and a wait for parity 1 of a fresh barrier returns at once. The consumers wait on `full`, read, and
// release.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 32, STAGES = 4;
constexpr int CONSUMER_THREADS = 64, THREADS = 32 + CONSUMER_THREADS;

struct Shared {
    alignas(128) uint32_t ring[STAGES][TILE * TILE];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ void load(Shared& s, int stage, const CUtensorMap* map, int x, int y) {
    const int at[] = {x, y};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                   sizeof s.ring[stage]);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.ring[stage], map, at, &s.full[stage]);
}

__global__ void __launch_bounds__(THREADS)
    add_up(const __grid_constant__ CUtensorMap map, uint32_t* sums, int across, int tiles) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], CONSUMER_THREADS / 32);
        }
    __syncthreads();

    const int lane = threadIdx.x % 32;
    for (int k = 0, t = blockIdx.x; t < tiles; ++k, t += gridDim.x) {
        const int stage = k % STAGES;
        [[maybe_unused]] const unsigned lap = k / STAGES;
        if (threadIdx.x < 32) {
            // TODO(1): wait until the stage is empty. For which parity?
            // END TODO(1)
            if (lane == 0)
                load(s, stage, &map, t % across * TILE, t / across * TILE);
            __syncwarp();
        } else {
            // TODO(2): wait until the stage is full.
            // END TODO(2)
            uint32_t sum = 0;
            for (int i = threadIdx.x - 32; i < TILE * TILE; i += CONSUMER_THREADS)
                sum += s.ring[stage][i];
            ptx::fence_proxy_async(ptx::space_shared); // the next load comes after these reads
            // TODO(3): all lanes have read; one lane of each warp arrives on `empty`.
            // END TODO(3)
            sum = __reduce_add_sync(~0u, sum);
            if (lane == 0)
                atomicAdd(&sums[t], sum);
        }
    }
}

CUresult make_map(CUtensorMap* map, const uint32_t* matrix, int rows, int columns) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(uint32_t)};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint32_t*>(matrix), size, stride,
                                  box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `in`: `rows` contiguous rows of `columns` values, a multiple of 4. `sums`: for each tile zero, to which its sum is
/// added.
cudaError_t launch(const uint32_t* in, uint32_t* sums, int rows, int columns, cudaStream_t stream) {
    CUtensorMap map;
    if (make_map(&map, in, rows, columns))
        return cudaErrorInvalidValue;
    const int across = (columns + TILE - 1) / TILE, tiles = across * ((rows + TILE - 1) / TILE);
    add_up<<<std::min(tiles, 2), THREADS, 0, stream>>>(map, sums, across, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
