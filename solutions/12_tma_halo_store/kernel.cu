// Lab 12: a 3x3 blur. Tensor copies load each tile with its halo and store the result. While a tile is computed, the
// next load and the last store are in flight. out[y][x] is the sum of the 3x3 pixels around in[y][x] with weights
// 1 2 1 / 2 4 2 / 1 2 1; pixels outside the image count as zero.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

#include "tma.h" // in common/check/student: elected()

namespace ptx = cuda::ptx;

constexpr int WIDTH = 32, HEIGHT = 16; // of a tile
constexpr int HALO = 1;
// Columns on each side of a window, so that its first column is at a multiple of 16 bytes.
constexpr int MARGIN = 4;
constexpr int THREADS = 128;

// A tensor copy needs 128-byte alignment, which makes a struct larger than its members.
struct alignas(128) Window {
    float at[HEIGHT + 2 * HALO][WIDTH + 2 * MARGIN]; // a tile with its surroundings: 2,880 bytes
};
struct alignas(128) Tile {
    float at[HEIGHT][WIDTH];
};

// Issues the load of the window of tile (x, y), x and y in pixels.
__device__ void load(Window& window, const CUtensorMap* image, int x, int y, uint64_t* full) {
    // TODO(1): where does the window begin? How many bytes will arrive?
    const int begin[] = {x - MARGIN, y - HALO};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, full, sizeof window.at);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, window.at, image, begin, full);
    // END TODO(1)
}

__device__ void blur_tile(const Window& window, Tile& result) {
    for (int i = threadIdx.x; i < HEIGHT * WIDTH; i += THREADS) {
        const int x = i % WIDTH, y = i / WIDTH;
        auto row = [&](int r) {
            const float* p = &window.at[y + r][x + MARGIN];
            return p[-1] + 2 * p[0] + p[1];
        };
        result.at[y][x] = row(0) + 2 * row(1) + row(2);
    }
}

__global__ void __launch_bounds__(THREADS)
    blur(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, int across, int tiles) {
    __shared__ Window windows[2];
    __shared__ Tile results[2];
    __shared__ uint64_t full[2];
    const bool issuer = threadIdx.x < 32 && elected();
    if (threadIdx.x < 2)
        ptx::mbarrier_init(&full[threadIdx.x], 1);
    __syncthreads();

    if (issuer && blockIdx.x < tiles)
        load(windows[0], &in, blockIdx.x % across * WIDTH, blockIdx.x / across * HEIGHT, &full[0]);
    for (int k = 0, tile = blockIdx.x; tile < tiles; ++k, tile += gridDim.x) {
        const int now = k % 2, next = tile + gridDim.x;
        // TODO(2): load the next window, if there is one. Then wait for this one.
        if (issuer && next < tiles)
            load(windows[1 - now], &in, next % across * WIDTH, next / across * HEIGHT, &full[1 - now]);
        while (!ptx::mbarrier_try_wait_parity(&full[now], k / 2 % 2))
            ;
        // END TODO(2)

        blur_tile(windows[now], results[now]);

        // TODO(3): store the result. All threads must have written it. And the next round writes to the other result:
        // which store must have read that one? One barrier is enough for both.
        ptx::fence_proxy_async(ptx::space_shared);
        if (issuer)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // the next round's result is free
        __syncthreads();
        if (issuer) {
            const int begin[] = {tile % across * WIDTH, tile / across * HEIGHT};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, begin, results[now].at);
            ptx::cp_async_bulk_commit_group();
        }
        // END TODO(3)
    }
    // TODO(4): the block must not exit before the last stores have read shared memory.
    if (issuer)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    // END TODO(4)
}

CUresult make_map(CUtensorMap* map, const float* image, int rows, int columns, int pitch, cuuint32_t box_width,
                  cuuint32_t box_height) {
    const cuuint64_t size[] = {cuuint64_t(columns), cuuint64_t(rows)}, stride[] = {pitch * sizeof(float)};
    const cuuint32_t box[] = {box_width, box_height}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(image), size, stride, box,
                                  step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// `in` and `out`: rows of `columns` pixels in device memory, one every `pitch` pixels, all 16-byte aligned.
cudaError_t launch(const float* in, float* out, int rows, int columns, int pitch, cudaStream_t stream) {
    if (rows == 0 || columns == 0)
        return cudaSuccess;
    CUtensorMap from, to;
    if (make_map(&from, in, rows, columns, pitch, WIDTH + 2 * MARGIN, HEIGHT + 2 * HALO) != CUDA_SUCCESS ||
        make_map(&to, out, rows, columns, pitch, WIDTH, HEIGHT) != CUDA_SUCCESS)
        return cudaErrorInvalidValue;
    const int across = (columns + WIDTH - 1) / WIDTH, tiles = across * ((rows + HEIGHT - 1) / HEIGHT);
    blur<<<(tiles + 7) / 8, THREADS, 0, stream>>>(from, to, across, tiles); // eight tiles for each block
    return cudaGetLastError();
}

LAB_ENTRY(launch)
