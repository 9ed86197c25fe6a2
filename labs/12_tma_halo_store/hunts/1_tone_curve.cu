// Hunt 12.h1: tone curve
// Persistent blocks load tiles ahead of use, apply a tone curve, and store the tiles. Since the number of result tiles
// was reduced to two, to fit another block on each SM, some pixels of large images belong to a tile further on.
#include "lab.h"

#include <algorithm>
#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 8; // of a tile
constexpr int LOADS = 3;              // tiles that are loaded or read
constexpr int RESULTS = 2;            // tiles that are written or stored
constexpr int THREADS = 128;

struct Tile {
    alignas(128) float at[HEIGHT][WIDTH];
};

struct Shared {
    Tile loads[LOADS];
    Tile results[RESULTS];
    uint64_t full[LOADS];
};

__device__ void wait(uint64_t* barrier, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity))
        ;
}

__device__ float curve(float value) {
    return value / (1 + fabsf(value));
}

// Issues the load of the block's k-th tile.
__device__ void load(Shared& shared, const CUtensorMap* image, int k, int across) {
    const int tile = blockIdx.x + k * gridDim.x, stage = k % LOADS;
    const int at[] = {tile % across * WIDTH, tile / across * HEIGHT};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full[stage],
                                   sizeof(Tile));
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.loads[stage].at, image, at,
                              &shared.full[stage]);
}

__global__ void __launch_bounds__(THREADS)
    tone(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int across, int tiles) {
    __shared__ Shared shared;
    if (threadIdx.x == 0)
        for (int i = 0; i < LOADS; ++i)
            ptx::mbarrier_init(&shared.full[i], 1);
    __syncthreads();

    const int mine = (tiles - int(blockIdx.x) + int(gridDim.x) - 1) / int(gridDim.x); // tiles of this block
    if (threadIdx.x == 0)
        for (int k = 0; k < min(LOADS - 1, mine); ++k)
            load(shared, &in, k, across);
    for (int k = 0; k < mine; ++k) {
        // All threads have read the stage of the previous round, and have passed the barrier before its store.
        if (threadIdx.x == 0 && k + LOADS - 1 < mine)
            load(shared, &in, k + LOADS - 1, across);
        wait(&shared.full[k % LOADS], k / LOADS % 2);

        const Tile& source = shared.loads[k % LOADS];
        Tile& result = shared.results[k % RESULTS];
        for (int i = threadIdx.x; i < WIDTH * HEIGHT; i += THREADS)
            result.at[i / WIDTH][i % WIDTH] = curve(source.at[i / WIDTH][i % WIDTH]);

        ptx::fence_proxy_async(ptx::space_shared);
        if (threadIdx.x == 0) // the next round's result is free
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<LOADS - 2>{});
        __syncthreads();
        if (threadIdx.x == 0) {
            const int tile = blockIdx.x + k * gridDim.x;
            const int at[] = {tile % across * WIDTH, tile / across * HEIGHT};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, at, result.at);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

CUresult make_map(CUtensorMap* map, const float* image, int rows, int columns, cuuint32_t box_width,
                  cuuint32_t box_height) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(float)};
    const cuuint32_t box[] = {box_width, box_height}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(image), size, stride, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `in` and `out`: `rows` contiguous rows of `columns` pixels, a multiple of 4.
cudaError_t launch(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
    CUtensorMap from, to;
    if (make_map(&from, in, rows, columns, WIDTH, HEIGHT) || make_map(&to, out, rows, columns, WIDTH, HEIGHT))
        return cudaErrorInvalidValue;
    int device = 0, sms = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    const int across = (columns + WIDTH - 1) / WIDTH, tiles = across * ((rows + HEIGHT - 1) / HEIGHT);
    tone<<<std::min(tiles, sms), THREADS, 0, stream>>>(from, to, across, tiles);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
