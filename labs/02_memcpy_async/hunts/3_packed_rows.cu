// Hunt 02.h3: mirrored images
// Each row of an image is mirrored. The rows used to be padded; the new decoder packs them, one directly after the
// other. Since then some images end the program with "misaligned address", while others, even larger ones, are right.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int THREADS = 128;
constexpr int MAX_WIDTH = 1024;

struct Image {
    const float* pixels;
    int width, height;
    int pitch; // floats from one row to the next
};

/// Issues the copies of a row. Every pixel has 4 bytes, and every row begins on a boundary of 16 bytes.
__device__ void fetch_row(const cg::thread_block& block, float* row, const Image& image, int y, Barrier& staged) {
    const float* const from = image.pixels + static_cast<size_t>(y) * image.pitch;
    cuda::memcpy_async(block, row, from, cuda::aligned_size_t<16>(image.width * sizeof(float)), staged);
}

__global__ void __launch_bounds__(THREADS) mirror(Image image, float* out) {
    __shared__ alignas(16) float row[MAX_WIDTH];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier staged;
    const auto block = cg::this_thread_block();
    if (threadIdx.x == 0)
        init(&staged, THREADS);
    __syncthreads();

    for (int y = blockIdx.x; y < image.height; y += gridDim.x) {
        fetch_row(block, row, image, y, staged);
        staged.arrive_and_wait();
        for (int x = threadIdx.x; x < image.width; x += THREADS)
            out[y * image.width + x] = row[image.width - 1 - x];
        __syncthreads(); // the row has been read
    }
}

/// `in` and `out`: images of width · height floats in device memory, without padding. width is at most 1024.
cudaError_t launch(const float* in, float* out, int width, int height, cudaStream_t stream) {
    const Image image{in, width, height, width};
    if (width > 0 && height > 0)
        mirror<<<min(height, 3), THREADS, 0, stream>>>(image, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
