// Drill 12.7: a halo along w (Blackwell)
// A convolution along the width needs, for each pixel, its neighbours on both sides. With im2col maps, each tap loads
// the row again. The mode im2col::w, from sm_100a on, loads a column of pixels once and appends a halo: the pixels to
// the right of the last one. Here a row of W pixels starts at -1, so W pixels and a halo of two are all that three taps
// need: tap i of pixel p is pixel p + i of the tile. The pixel box of such a map has one dimension: `lower` counts from
// the first pixel of a row, `upper` from the last one, and one box has W pixels. The halo comes on top of it.
#include "lab.h"

#include <cuda.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int W = 32, CHANNELS = 16, TAPS = 3;
constexpr int ROW = CHANNELS * sizeof(float); // bytes of a pixel: 64, the span of the swizzle
constexpr int THREADS = 128;

// Loads pixels of image n from column x on, and a halo.
__device__ void load(float* to, const CUtensorMap* map, int x, int n, int halo, uint64_t* full) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5], {%6, %7};" ::"r"(unsigned(__cvta_generic_to_shared(to))),
                 "l"(map), "r"(0), "r"(x), "r"(n), "r"(unsigned(__cvta_generic_to_shared(full))), "h"(uint16_t(halo)),
                 "h"(uint16_t(0))
                 : "memory");
}

// Where the 64-byte swizzle has put channel c of pixel p.
__device__ int place(int p, int c) {
    return p * CHANNELS + ((c / 4 ^ (p / 2) % 4) * 4 + c % 4);
}

__global__ void __launch_bounds__(THREADS) convolve(const __grid_constant__ CUtensorMap map, float* out) {
    __shared__ alignas(1024) float tile[(W + TAPS - 1) * CHANNELS];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        // TODO(1): how many pixels follow the last one, and how many bytes arrive in all?
        const int halo = TAPS - 1, bytes = (W + halo) * ROW;
        // END TODO(1)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, bytes);
        load(tile, &map, -1, blockIdx.x, halo, &full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    for (int i = threadIdx.x; i < W * CHANNELS; i += THREADS) {
        float sum = 0;
        for (int tap = 0; tap < TAPS; ++tap)
            sum += tile[place(i / CHANNELS + tap, i % CHANNELS)];
        out[blockIdx.x * W * CHANNELS + i] = sum;
    }
}

/// `in` and `out`: `count` images of one row of W pixels of CHANNELS channels. out[p] becomes in[p - 1] + in[p] +
/// in[p + 1], with zeros beside the row.
cudaError_t launch(const float* in, float* out, int count, cudaStream_t stream) {
    // TODO(2): the box starts one pixel to the left of the row and has W pixels.
    const int lower = -1, upper = -1;
    // END TODO(2)

    CUtensorMap map;
    const cuuint64_t size[] = {CHANNELS, W, cuuint64_t(count)}, stride[] = {ROW, ROW * W};
    const cuuint32_t step[] = {1, 1, 1};
    if (cuTensorMapEncodeIm2colWide(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, const_cast<float*>(in), size, stride,
                                    lower, upper, CHANNELS, W, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                    CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_64B,
                                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        return cudaErrorInvalidValue;
    convolve<<<count, THREADS, 0, stream>>>(map, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
