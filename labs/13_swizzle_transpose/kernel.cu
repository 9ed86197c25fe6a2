// Lab 13: transposes an image in tiles that the copy unit swizzles on their way through shared memory.
// out[x][y] is in[y][x]. A pixel has 16 bytes: four channels of 32 bits.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>
#include <utility>

#include "tma.h" // in common/check/student: elected()

namespace ptx = cuda::ptx;

constexpr int TILE = 32; // pixels in a row, and rows
constexpr int THREADS = 256;

// In shared memory, a tile consists of contiguous panels of TILE rows of SPAN bytes. One copy moves one panel, the box
// of the tensor map.
struct Shared {
    uint64_t full;
    alignas(128) uint4 tile[TILE * TILE]; // a copy needs no more than 128
    alignas(128) uint4 transposed[TILE * TILE];
};

template <int SPAN>
constexpr int WIDTH = SPAN / 16; // of a panel, in pixels

// Returns where the copy unit writes, or reads, the pixel in that row and column of a tile.
template <int SPAN>
__device__ uint4* place(uint4* tile, int row, int column) {
    constexpr int width = WIDTH<SPAN>;
    const unsigned linear = (column / width * TILE + row) * width + column % width;
    // TODO(1): with a swizzle, which 16 bytes are these? How does the address of the tile matter?
    return tile + linear; // placeholder: without a swizzle
    // END TODO(1)
}

template <int SPAN>
__global__ void __launch_bounds__(THREADS)
    transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int down) {
    constexpr int width = WIDTH<SPAN>, panels = TILE / width;
    __shared__ Shared shared;
    const int x = blockIdx.x / down * TILE, y = blockIdx.x % down * TILE; // neighbours write neighbours in `out`
    const bool issuer = threadIdx.x < 32 && elected();

    if (issuer) {
        ptx::mbarrier_init(&shared.full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full,
                                       sizeof shared.tile);
        for (int p = 0; p < panels; ++p) {
            const int from[] = {4 * (x + p * width), y}; // the map counts channels
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &shared.tile[p * TILE * width], &in, from,
                                      &shared.full);
        }
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&shared.full, 0))
        ;

    // A warp copies a row of `tile` to a column of `transposed`.
    const int column = threadIdx.x % 32;
    for (int row = threadIdx.x / 32; row < TILE; row += THREADS / 32)
        *place<SPAN>(shared.transposed, column, row) = *place<SPAN>(shared.tile, row, column);

    // TODO(2): store `transposed`, panel by panel. All threads have written it, with ordinary stores.
    // END TODO(2)
}

// Makes a map of an image for boxes of `span` bytes times TILE rows.
CUresult make_map(CUtensorMap* map, const uint4* image, int width, int height, int span) {
    const cuuint64_t size[] = {4 * cuuint64_t(width), cuuint64_t(height)}, pitch[] = {16 * cuuint64_t(width)};
    const cuuint32_t box[] = {cuuint32_t(span / 4), TILE}, step[] = {1, 1};
    // TODO(3): 128-, 64- or 32-byte swizzle, as `span` says.
    const CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE; // placeholder
    // END TODO(3)
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint4*>(image), size, pitch, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `in`: `height` rows of `width` pixels. `out`: `width` rows of `height` pixels. Both are in device memory, 128-byte
/// aligned, with contiguous rows. `span`: 32, 64 or 128 bytes of swizzle.
cudaError_t launch(const uint4* in, uint4* out, int width, int height, int span, cudaStream_t stream) {
    if (width == 0 || height == 0)
        return cudaSuccess;
    CUtensorMap from, to;
    if (make_map(&from, in, width, height, span) || make_map(&to, out, height, width, span))
        return cudaErrorInvalidValue;
    const int down = (height + TILE - 1) / TILE, tiles = down * ((width + TILE - 1) / TILE);
    auto* kernel = span == 128 ? transpose<128> : span == 64 ? transpose<64> : transpose<32>;
    kernel<<<tiles, THREADS, 0, stream>>>(from, to, down);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
