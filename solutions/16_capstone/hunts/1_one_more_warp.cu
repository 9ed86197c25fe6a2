// Hunt 16.h1: one more warp
// Scales the rows of a matrix: warp 0 loads tiles into a ring, and the other warps multiply them in place; then one
// thread stores the tile and releases the stage. With two consumer warps, this was right but too slow. Since there are
// three, some rows are scaled late or not at all, and sometimes the kernel hangs.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 32, STAGES = 2;
constexpr int CONSUMER_WARPS = 3, CONSUMER_THREADS = 32 * CONSUMER_WARPS;
constexpr int THREADS = 32 + CONSUMER_THREADS; // warp 0 is the producer

struct Shared {
    alignas(128) uint32_t ring[STAGES][TILE][TILE];
    uint64_t full[STAGES];  // the tile has arrived
    uint64_t empty[STAGES]; // the tile has been read by its store
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// A barrier of the consumers alone: the producer is somewhere else, or has left.
__device__ void consumers_meet() {
    asm volatile("bar.sync 1, %0;" ::"n"(CONSUMER_THREADS) : "memory");
}

// Warp 0: loads the block's tiles, one after another.
__device__ void produce(Shared& s, const CUtensorMap* map, int across, int tiles) {
    for (int k = 0, t = blockIdx.x; t < tiles; ++k, t += gridDim.x) {
        const int stage = k % STAGES;
        const unsigned lap = k / STAGES;
        wait(&s.empty[stage], (lap + 1) % 2);
        if (threadIdx.x == 0) {
            const int at[] = {t % across * TILE, t / across * TILE};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                           sizeof s.ring[stage]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.ring[stage], map, at, &s.full[stage]);
        }
        __syncwarp();
    }
}

// All other warps: multiply, store, release.
__device__ void consume(Shared& s, const CUtensorMap* map, const uint32_t* factors, int rows, int across, int tiles) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 - 1;
    for (int k = 0, t = blockIdx.x; t < tiles; ++k, t += gridDim.x) {
        const int stage = k % STAGES;
        const unsigned lap = k / STAGES;
        const int y = t / across * TILE;
        wait(&s.full[stage], lap % 2);
        for (int row = warp; row < min(TILE, rows - y); row += CONSUMER_WARPS)
            s.ring[stage][row][lane] *= factors[y + row];
        ptx::fence_proxy_async(ptx::space_shared);
        consumers_meet();
        if (threadIdx.x == 32) {
            const int at[] = {t % across * TILE, y};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, s.ring[stage]);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
            ptx::mbarrier_arrive(&s.empty[stage]);
        }
        __syncwarp();
    }
}

__global__ void __launch_bounds__(THREADS)
    scale_rows(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, const uint32_t* factors,
               int rows, int across, int tiles) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], 1);
        }
    __syncthreads();
    if (threadIdx.x < 32)
        produce(s, &in, across, tiles);
    else
        consume(s, &out, factors, rows, across, tiles);
}

CUresult make_map(CUtensorMap* map, const uint32_t* matrix, int rows, int columns) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(uint32_t)};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint32_t*>(matrix), size, stride,
                                  box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `in` and `out`: `rows` contiguous rows of `columns` values, a multiple of 4. `factors`: one for each row.
cudaError_t launch(const uint32_t* in, const uint32_t* factors, uint32_t* out, int rows, int columns,
                   cudaStream_t stream) {
    CUtensorMap from, to;
    if (make_map(&from, in, rows, columns) || make_map(&to, out, rows, columns))
        return cudaErrorInvalidValue;
    const int across = (columns + TILE - 1) / TILE, tiles = across * ((rows + TILE - 1) / TILE);
    scale_rows<<<std::min(tiles, 3), THREADS, 0, stream>>>(from, to, factors, rows, across, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
