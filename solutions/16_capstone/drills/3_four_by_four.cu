// Drill 16.3: four by four
// The third checkpoint: the way of one tile. Warp 0 issues the load and leaves. Each thread of warps 1 and 2 transposes
// a block of 4 x 4 elements in registers and writes it to a second tile, which is stored. Both maps swizzle by 128
// bytes, and both tiles begin at multiples of 1024. Find an element, and complete the store. consumers_meet() is a
// barrier of warps 1 and 2 alone.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 32; // rows, and elements in a row: 128 bytes
constexpr int CONSUMER_THREADS = 64, THREADS = 32 + CONSUMER_THREADS;

struct Shared {
    alignas(1024) uint4 tile[TILE * TILE / 4], transposed[TILE * TILE / 4];
    uint64_t full;
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ void consumers_meet() {
    asm volatile("bar.sync 1, %0;" ::"n"(CONSUMER_THREADS) : "memory");
}

// Returns where the u-th four elements of a row are in a swizzled tile.
__device__ int place(int row, int u) {
    // TODO(1): with the 128-byte swizzle.
    return 8 * row + (u ^ row % 8);
    // END TODO(1)
}

__global__ void __launch_bounds__(THREADS)
    transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
    __shared__ Shared s;
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&s.full, 1);
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            const int from[] = {x, y};
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full, sizeof s.tile);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.tile, &in, from, &s.full);
        }
        return;
    }

    wait(&s.full, 0);
    const int column = threadIdx.x % 8, row = column ^ (threadIdx.x - 32) / 8; // of a block of 4 x 4
    uint4 v[4];
    for (int i = 0; i < 4; ++i)
        v[i] = s.tile[place(4 * row + i, column)];
    s.transposed[place(4 * column + 0, row)] = {v[0].x, v[1].x, v[2].x, v[3].x};
    s.transposed[place(4 * column + 1, row)] = {v[0].y, v[1].y, v[2].y, v[3].y};
    s.transposed[place(4 * column + 2, row)] = {v[0].z, v[1].z, v[2].z, v[3].z};
    s.transposed[place(4 * column + 3, row)] = {v[0].w, v[1].w, v[2].w, v[3].w};

    // TODO(2): what comes before the store, and what after it?
    ptx::fence_proxy_async(ptx::space_shared);
    consumers_meet();
    if (threadIdx.x == 32) {
        const int to[] = {y, x};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, to, s.transposed);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
    // END TODO(2)
}

CUresult make_map(CUtensorMap* map, const uint32_t* matrix, int rows, int columns) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(uint32_t)};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint32_t*>(matrix), size, stride,
                                  box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `in`: `rows` contiguous rows of `columns` values, both multiples of 4. `out`: `columns` rows of `rows` values.
cudaError_t launch(const uint32_t* in, uint32_t* out, int rows, int columns, cudaStream_t stream) {
    CUtensorMap from, to;
    if (make_map(&from, in, rows, columns) || make_map(&to, out, columns, rows))
        return cudaErrorInvalidValue;
    const dim3 tiles((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<<<tiles, THREADS, 0, stream>>>(from, to);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
