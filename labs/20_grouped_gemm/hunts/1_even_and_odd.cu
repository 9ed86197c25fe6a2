// Hunt 20.h1: even and odd
// A block inverts the bits of matrices of 32 columns, tile after tile. One warp does everything: it loads the next tile
// while it computes this one. It has two maps for loads, so that it can make one while a load uses the other. In the
// tests, all matrices had two tiles. Since there are others, some matrices get values of the one before, or the copy
// unit refuses a map.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 32, THREADS = 32;

struct Matrix {
    const uint32_t* in; // contiguous rows of 32 values
    uint32_t* out;
    int rows;
};

struct Shared {
    alignas(128) uint32_t tile[2][TILE][TILE];
    alignas(128) CUtensorMap scratch;
    uint64_t full[2];
};

// A tile of the batch.
struct Place {
    int matrix = 0, tile = 0;
};

__device__ CUtensorMap maps[2];

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

// Returns the place after this one. There may be none: its matrix is `count` then.
__device__ Place after(Place place, const Matrix* batch) {
    if ((place.tile + 1) * TILE < batch[place.matrix].rows)
        return {place.matrix, place.tile + 1};
    return {place.matrix + 1, 0};
}

// Makes `map` a map of the matrix.
__device__ void publish(CUtensorMap* map, CUtensorMap* scratch, const Matrix& matrix) {
    if (threadIdx.x == 0) {
        ptx::tensormap_replace_global_address(ptx::space_shared, scratch, matrix.in);
        ptx::tensormap_replace_global_dim(ptx::space_shared, scratch, ptx::n32_t<1>{}, matrix.rows);
    }
    __syncwarp();
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_cta, map, scratch, ptx::n32_t<128>{});
    ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_cta, map, ptx::n32_t<128>{});
}

// Starts to load tile `k` of the block.
__device__ void load(Shared& s, int k, Place place, const Matrix* batch) {
    CUtensorMap* const map = &maps[k % 2];
    if (place.tile == 0)
        publish(map, &s.scratch, batch[place.matrix]);
    if (threadIdx.x == 0) {
        const int at[] = {0, place.tile * TILE};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &s.full[k % 2],
                                       sizeof s.tile[0]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, s.tile[k % 2], map, at, &s.full[k % 2]);
    }
    __syncwarp();
}

__global__ void __launch_bounds__(THREADS)
    invert(const Matrix* batch, int count, const __grid_constant__ CUtensorMap form) {
    __shared__ Shared s;
    if (threadIdx.x == 0) {
        s.scratch = form;
        ptx::mbarrier_init(&s.full[0], 1);
        ptx::mbarrier_init(&s.full[1], 1);
    }
    __syncwarp();

    Place place;
    load(s, 0, place, batch);
    for (int k = 0; place.matrix < count; ++k) {
        const Place next = after(place, batch);
        if (next.matrix < count)
            load(s, k + 1, next, batch);
        wait(&s.full[k % 2], k / 2 % 2);
        const Matrix& matrix = batch[place.matrix];
        for (int row = 0; row < TILE && place.tile * TILE + row < matrix.rows; ++row)
            matrix.out[(place.tile * TILE + row) * TILE + threadIdx.x] = ~s.tile[k % 2][row][threadIdx.x];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncwarp(); // all lanes have read the tile
        place = next;
    }
}

/// `batch`: `count` matrices, none of them empty.
cudaError_t launch(const Matrix* batch, int count, cudaStream_t stream) {
    CUtensorMap form;
    const cuuint64_t size[] = {TILE, TILE}, stride[] = {TILE * sizeof(uint32_t)};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&form, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, nullptr, size, stride, box, step,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    invert<<<1, THREADS, 0, stream>>>(batch, count, form);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
