// Hunt 13.h2: vignette
// Darkens an image towards its edges, in place in shared memory: tiles are loaded, multiplied by a weight that depends
// on the pixel's distance from the centre, and stored through the same map. The map has been shared with the transpose
// since, which needs swizzled tiles. Now the pictures show a fine pattern that repeats every eight rows.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 32; // rows, and pixels in a row: 128 bytes
constexpr int THREADS = 128;

struct Centre {
    int x, y;
};

struct Shared {
    alignas(1024) float tile[TILE][TILE];
    uint64_t full;
};

__device__ float weight(int dx, int dy) {
    return 1.0f / float(1 + dx * dx + dy * dy);
}

// Multiplies the pixels of the tile that begins at (x, y) by their weights.
__device__ void darken(Shared& shared, int x, int y, Centre centre) {
    for (int i = threadIdx.x; i < TILE * TILE; i += THREADS) {
        const int row = i / TILE, word = i % TILE; // in shared memory
        const int column = word;
        shared.tile[row][word] *= weight(x + column - centre.x, y + row - centre.y);
    }
}

__global__ void __launch_bounds__(THREADS)
    vignette(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, Centre centre) {
    __shared__ Shared shared;
    const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    const int at[] = {x, y};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&shared.full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full,
                                       sizeof shared.tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.tile, &in, at, &shared.full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&shared.full, 0))
        ;

    darken(shared, x, y, centre);

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, shared.tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

// The map of an image, as the transpose needs it as well.
CUresult make_map(CUtensorMap* map, const float* image, int rows, int columns) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(float)};
    const cuuint32_t box[] = {TILE, TILE}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(image), size, stride, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `in` and `out`: `rows` contiguous rows of `columns` pixels, a multiple of 4.
cudaError_t launch(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    CUtensorMap from, to;
    if (make_map(&from, in, rows, columns) || make_map(&to, out, rows, columns))
        return cudaErrorInvalidValue;
    const dim3 tiles((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    vignette<<<tiles, THREADS, 0, stream>>>(from, to, Centre{columns / 2, rows / 2});
    return cudaGetLastError();
}

LAB_ENTRY(launch)
