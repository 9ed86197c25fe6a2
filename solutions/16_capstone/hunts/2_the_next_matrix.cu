// Hunt 16.h2: the next matrix
// A block adds up matrices, one after another: warp 0 loads tiles into a ring, warp 1 adds. While there was one matrix
// for each launch, it was right. Since a launch takes several, it hangs or adds up the wrong tiles, except when all
// matrices are of a certain size.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 32, STAGES = 2, THREADS = 64;
constexpr int MATRICES = 4;

struct Batch {
    CUtensorMap maps[MATRICES];
    int tiles[MATRICES]; // of 32 rows
};

struct Shared {
    alignas(128) uint32_t ring[STAGES][TILE * TILE];
    uint64_t full[STAGES], empty[STAGES];
};

// Which stage, and the how-many-th use of it.
struct Turn {
    int stage;
    unsigned lap;
};

__device__ Turn turn(int k) {
    return {k % STAGES, unsigned(k / STAGES)};
}

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Warp 0: loads all tiles of all matrices.
__device__ void produce(Shared& s, const Batch& batch) {
    int k = 0;
    for (int m = 0; m < MATRICES; ++m)
        for (int t = 0; t < batch.tiles[m]; ++t, ++k) {
            const auto [stage, lap] = turn(k);
            wait(&s.empty[stage], (lap + 1) % 2);
            if (threadIdx.x == 0) {
                const int at[] = {0, t * TILE};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                               sizeof s.ring[stage]);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.ring[stage], &batch.maps[m], at,
                                          &s.full[stage]);
            }
            __syncwarp();
        }
}

// Adds up a matrix. Called by warp 1.
__device__ uint32_t sum_of_matrix(Shared& s, int tiles, int& k) {
    uint32_t sum = 0;
    for (const int end = k + tiles; k < end; ++k) {
        const auto [stage, lap] = turn(k);
        wait(&s.full[stage], lap % 2);
        for (int i = threadIdx.x - 32; i < TILE * TILE; i += 32)
            sum += s.ring[stage][i];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp();
        if (threadIdx.x == 32)
            ptx::mbarrier_arrive(&s.empty[stage]);
    }
    return __reduce_add_sync(~0u, sum);
}

__global__ void __launch_bounds__(THREADS) add_up(const __grid_constant__ Batch batch, uint32_t* sums) {
    __shared__ Shared s;
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], 1);
        }
    __syncthreads();
    if (threadIdx.x < 32) {
        produce(s, batch);
    } else {
        int k = 0; // goes on from matrix to matrix, as the producer's does
        for (int m = 0; m < MATRICES; ++m) {
            const uint32_t sum = sum_of_matrix(s, batch.tiles[m], k);
            if (threadIdx.x == 32)
                sums[m] = sum;
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

/// `in`: four matrices one after another, of contiguous rows of 32 values. They have `rows0` to `rows3` rows. `sums`:
/// one for each.
cudaError_t launch(const uint32_t* in, int rows0, int rows1, int rows2, int rows3, uint32_t* sums,
                   cudaStream_t stream) {
    const int rows[MATRICES] = {rows0, rows1, rows2, rows3};
    Batch batch;
    for (int m = 0; m < MATRICES; in += rows[m] * TILE, ++m) {
        batch.tiles[m] = (rows[m] + TILE - 1) / TILE;
        if (make_map(&batch.maps[m], in, rows[m], TILE))
            return cudaErrorInvalidValue;
    }
    add_up<<<1, THREADS, 0, stream>>>(batch, sums);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
