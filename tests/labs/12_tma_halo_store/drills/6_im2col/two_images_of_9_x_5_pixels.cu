// expect: case "two images of 9 x 5 pixels"
// Without a smaller upper corner, a row of results is one column too long.
// Drill 12.6: a padded convolution
// For a convolution, an im2col map loads a column of pixels, in row-major order and across images, shifted by the
// offsets of a filter's tap. The pixel box says where the unshifted pixels are: from `lower` up to the last pixel plus
// `upper`, in columns and rows. Here the filter adds 3 x 3 pixels around each pixel; taps are shifted by 0, 1 or 2 in
// each direction. Choose the box so that each image has as many columns and rows of results as of pixels, with zeros
// around it.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CHANNELS = 4;
constexpr int PIXELS = 32; // of a column
constexpr int TAPS = 3;    // in each direction
constexpr int THREADS = PIXELS * CHANNELS;

// Loads PIXELS pixels that begin at column x, row y of image n, shifted by dx and dy.
__device__ void load(float* to, const CUtensorMap* map, int x, int y, int n, int dx, int dy, uint64_t* full) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(unsigned(__cvta_generic_to_shared(to))),
                 "l"(map), "r"(0), "r"(x), "r"(y), "r"(n), "r"(unsigned(__cvta_generic_to_shared(full))),
                 "h"(uint16_t(dx)), "h"(uint16_t(dy))
                 : "memory");
}

__global__ void __launch_bounds__(THREADS)
    convolve(const __grid_constant__ CUtensorMap map, float* out, int width, int height, int pixels) {
    __shared__ alignas(128) float column[TAPS * TAPS][PIXELS * CHANNELS];
    __shared__ uint64_t full;
    const int p = blockIdx.x * PIXELS; // the first result
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof column);
        const int x = p % width - 1, y = p / width % height - 1, n = p / (width * height);
        for (int tap = 0; tap < TAPS * TAPS; ++tap)
            load(column[tap], &map, x, y, n, tap % TAPS, tap / TAPS, &full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    float sum = 0;
    for (int tap = 0; tap < TAPS * TAPS; ++tap)
        sum += column[tap][threadIdx.x];
    if (p + int(threadIdx.x) / CHANNELS < pixels)
        out[p * CHANNELS + threadIdx.x] = sum;
}

/// `in` and `out`: `count` images of `height` x `width` pixels of four channels.
cudaError_t launch(const float* in, float* out, int width, int height, int count, cudaStream_t stream) {
    // TODO(1): {columns, rows}; lower counts from the first pixel, upper from the last one.
    const int lower[] = {-1, -1}, upper[] = {0, 0};
    // END TODO(1)

    CUtensorMap map;
    const cuuint64_t size[] = {CHANNELS, cuuint64_t(width), cuuint64_t(height), cuuint64_t(count)};
    const cuuint64_t stride[] = {16, 16 * size[1], 16 * size[1] * size[2]};
    const cuuint32_t step[] = {1, 1, 1, 1};
    if (cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, const_cast<float*>(in), size, stride, lower,
                                upper, CHANNELS, PIXELS, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    const int pixels = width * height * count;
    convolve<<<(pixels + PIXELS - 1) / PIXELS, THREADS, 0, stream>>>(map, out, width, height, pixels);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
