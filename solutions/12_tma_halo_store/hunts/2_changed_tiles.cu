// Hunt 12.h2: changed tiles
// Each block adds up a tile of a screen; the host compares the sums with the last frame's and sends only tiles that
// have changed. An older version copied each row of a tile by itself. With tensor copies, a screen of 1024 rows works,
// but one of 1080 rows hangs.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int WIDTH = 64, HEIGHT = 16; // of a tile, in pixels
constexpr int THREADS = 128;

struct Screen {
    int rows, columns;
};

// What one block loads.
struct Job {
    int x, y;       // the tile's first pixel
    unsigned bytes; // to announce
};

struct Shared {
    alignas(128) uint32_t tile[HEIGHT][WIDTH];
    uint32_t warps[THREADS / 32];
    uint64_t full;
};

__device__ Job job_of_block(const Screen& screen) {
    Job job{};
    job.x = blockIdx.x * WIDTH;
    job.y = blockIdx.y * HEIGHT;
    job.bytes = WIDTH * HEIGHT * sizeof(uint32_t); // the whole box, even where the screen has ended
    return job;
}

__device__ uint32_t sum_of_block(uint32_t value, Shared& shared) {
    value = __reduce_add_sync(~0u, value);
    if (threadIdx.x % 32 == 0)
        shared.warps[threadIdx.x / 32] = value;
    __syncthreads();
    uint32_t sum = 0;
    for (const uint32_t warp : shared.warps)
        sum += warp;
    return sum;
}

__global__ void __launch_bounds__(THREADS)
    add_up_tiles(const __grid_constant__ CUtensorMap map, [[maybe_unused]] Screen screen, uint32_t* sums) {
    __shared__ Shared shared;
    const Job job = job_of_block(screen);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&shared.full, 1);
        const int at[] = {job.x, job.y};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.full, job.bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared.tile, &map, at, &shared.full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&shared.full, 0))
        ;

    uint32_t sum = 0;
    for (int i = threadIdx.x; i < WIDTH * HEIGHT; i += THREADS)
        sum += shared.tile[i / WIDTH][i % WIDTH];
    sum = sum_of_block(sum, shared);
    if (threadIdx.x == 0)
        sums[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

/// `pixels`: contiguous rows, 16-byte aligned; `columns` is a multiple of 4. `sums`: one for each tile.
cudaError_t launch(const uint32_t* pixels, uint32_t* sums, int rows, int columns, cudaStream_t stream) {
    CUtensorMap map;
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {columns * sizeof(uint32_t)};
    const cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, const_cast<uint32_t*>(pixels), size, stride,
                               box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    const dim3 tiles((columns + WIDTH - 1) / WIDTH, (rows + HEIGHT - 1) / HEIGHT);
    add_up_tiles<<<tiles, THREADS, 0, stream>>>(map, Screen{rows, columns}, sums);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
