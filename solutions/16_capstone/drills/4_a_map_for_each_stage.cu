// Drill 16.4: a map for each stage
// The fourth checkpoint: maps. The producer loads tiles of different matrices, and each stage has a map of its own. The
// map of a stage is free when the stage is free, because then its load has landed. And it need not be made again if it
// already describes the right matrix. Put the producer's steps into the right order, and make no map twice.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 32, STAGES = 3, THREADS = 64;

struct Matrix {
    const uint32_t* in; // contiguous rows of 32 values
    int rows, first;    // its first tile
};

struct Shared {
    alignas(128) uint32_t ring[STAGES][TILE * TILE];
    alignas(128) CUtensorMap scratch;
    CUtensorMap* maps; // one for each stage, in global memory
    uint64_t full[STAGES], empty[STAGES];
    int described[STAGES]; // index of the matrix that a stage's map describes; -1: none
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Makes the stage's map one of matrix m. The calling warp may use it afterwards.
__device__ void publish(Shared& s, int stage, int m, const Matrix& matrix) {
    // TODO(1): leave at once if it is one already; and remember that it is one now. One lane writes, all lanes read.
    if (s.described[stage] == m)
        return;
    __syncwarp();
    if (threadIdx.x == 0)
        s.described[stage] = m;
    // END TODO(1)
    if (threadIdx.x == 0) {
        ptx::tensormap_replace_global_address(ptx::space_shared, &s.scratch, matrix.in);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &s.scratch, ptx::n32_t<1>{}, matrix.rows);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, &s.maps[stage], &s.scratch, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, &s.maps[stage], ptx::n32_t<128>{});
}

__device__ void load(Shared& s, int stage, int y) {
    const int at[] = {0, y};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                   sizeof s.ring[stage]);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.ring[stage], &s.maps[stage], at, &s.full[stage]);
}

__global__ void __launch_bounds__(THREADS) add_up(const Matrix* batch, int count, int tiles, uint32_t* sums,
                                                  const __grid_constant__ CUtensorMap form, CUtensorMap* maps) {
    __shared__ Shared s;
    if (threadIdx.x == 0) {
        s.scratch = form;
        s.maps = maps;
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], 1);
            s.described[i] = -1;
        }
    }
    __syncthreads();

    for (int t = 0, m = 0; t < tiles; ++t) {
        const int stage = t % STAGES, lap = t / STAGES;
        while (m + 1 < count && batch[m + 1].first <= t)
            ++m;
        if (threadIdx.x < 32) {
            const int y = (t - batch[m].first) * TILE;
            // TODO(2): publish the map, wait for the stage, load by one lane: in which order?
            wait(&s.empty[stage], (lap + 1) % 2);
            publish(s, stage, m, batch[m]);
            if (threadIdx.x == 0)
                load(s, stage, y);
            // END TODO(2)
            __syncwarp();
        } else {
            wait(&s.full[stage], lap % 2);
            uint32_t sum = 0;
            for (int i = threadIdx.x - 32; i < TILE * TILE; i += 32)
                sum += s.ring[stage][i];
            ptx::fence_proxy_async(ptx::space_shared);
            sum = __reduce_add_sync(~0u, sum);
            __syncwarp();
            if (threadIdx.x == 32) {
                sums[t] = sum;
                ptx::mbarrier_arrive(&s.empty[stage]);
            }
        }
    }
}

/// `batch`: `count` matrices with `tiles` tiles of 32 rows altogether. `sums`: one for each tile.
cudaError_t launch(const Matrix* batch, int count, int tiles, uint32_t* sums, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size[] = {TILE, TILE}, stride[] = {TILE * sizeof(uint32_t)};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    CUtensorMap* maps; // of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&maps, STAGES * sizeof(CUtensorMap), stream))
        return error;
    add_up<<<1, THREADS, 0, stream>>>(batch, count, tiles, sums, form, maps);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
