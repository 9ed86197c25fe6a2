// Drill 20.3: the other map
// A producer warp loads matrices of different heights, each with several tiles, into a ring of three stages. A block
// has two maps: loads use one, and for the next matrix the producer makes the other. When may it? The last load that
// used this map is complete when the consumer has released its stage. If the stage has been filled again since, the
// producer has waited for that already, and must not wait again: `empty` would be in a later phase.
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
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Makes `map` a map of the matrix. The calling warp may use it afterwards.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, const Matrix& matrix) {
    if (threadIdx.x == 0) {
        ptx::tensormap_replace_global_address(ptx::space_shared, scratch, matrix.in);
        ptx::tensormap_replace_global_dim(ptx::space_shared, scratch, ptx::n32_t<1>{}, matrix.rows);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, ptx::n32_t<128>{});
}

__device__ void produce(Shared& s, CUtensorMap* maps, const Matrix* batch, int count) {
    [[maybe_unused]] int last[2] = {-1, -1}; // the last load that used a map; -1: none
    for (int m = 0, loads = 0; m < count; ++m) {
        const int which = m % 2, tiles = (batch[m].rows + TILE - 1) / TILE;
        // TODO(1): wait until no load uses maps[which].
        // END TODO(1)
        publish(&maps[which], &s.scratch, batch[m]);
        for (int t = 0; t < tiles; ++t, ++loads) {
            const int stage = loads % STAGES;
            wait(&s.empty[stage], (loads / STAGES + 1) % 2);
            if (threadIdx.x == 0) {
                const int at[] = {0, t * TILE};
                ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[stage],
                                               sizeof s.ring[stage]);
                ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.ring[stage], &maps[which], at,
                                          &s.full[stage]);
            }
            __syncwarp();
        }
        // TODO(2): which load was the last that used the map?
        // END TODO(2)
    }
}

__device__ void consume(Shared& s, int tiles, uint32_t* sums) {
    for (int t = 0; t < tiles; ++t) {
        const int stage = t % STAGES;
        wait(&s.full[stage], t / STAGES % 2);
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

__global__ void __launch_bounds__(THREADS) add_up(const Matrix* batch, int count, int tiles, uint32_t* sums,
                                                  const __grid_constant__ CUtensorMap form, CUtensorMap* maps) {
    __shared__ Shared s;
    if (threadIdx.x == 0) {
        s.scratch = form;
        for (int i = 0; i < STAGES; ++i) {
            ptx::mbarrier_init(&s.full[i], 1);
            ptx::mbarrier_init(&s.empty[i], 1);
        }
    }
    __syncthreads();
    if (threadIdx.x < 32)
        produce(s, maps, batch, count);
    else
        consume(s, tiles, sums);
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
    CUtensorMap* maps; // two, of this launch alone
    if (const cudaError_t error = cudaMallocAsync(&maps, 2 * sizeof(CUtensorMap), stream))
        return error;
    add_up<<<1, THREADS, 0, stream>>>(batch, count, tiles, sums, form, maps);
    cudaFreeAsync(maps, stream);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
