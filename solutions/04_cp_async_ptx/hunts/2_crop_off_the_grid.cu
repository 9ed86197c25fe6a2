// Hunt 04.h2: a crop off the grid.
// The function cuts a rectangle out of an image and brightens it. It copies 16 bytes at a time where it can, and 4
// where it cannot. Observed: thumbnails come out right for months. Then someone drags the selection by one pixel, and
// the launch fails.
#include "lab.h"

#include <algorithm>

constexpr int THREADS = 64;
constexpr int TILE = 4 * THREADS; // pixels of a row that a block stages

struct Crop {
    int x, y;          // of the upper left corner, in the image
    int width, height; // of the rectangle
};

template <int BYTES>
__device__ void copy(void* shared, const void* global) {
    const unsigned destination = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(destination), "l"(global), "n"(BYTES) : "memory");
}

__device__ uint32_t brightened(uint32_t pixel) {
    return __vaddus4(pixel, 0x20202020); // each of the four channels, saturated
}

// PIXELS is 4 where everything is a multiple of 16 bytes, and else 1.
template <int PIXELS>
__global__ void __launch_bounds__(THREADS) crop_rows(const uint32_t* image, uint32_t* out, int pitch, Crop crop) {
    __shared__ alignas(16) uint32_t row[TILE];
    const uint32_t* const from = image + (crop.y + blockIdx.y) * pitch + crop.x;
    const int first = blockIdx.x * TILE, count = min(crop.width - first, TILE);

    for (int i = PIXELS * threadIdx.x; i < count; i += PIXELS * THREADS)
        copy<4 * PIXELS>(&row[i], from + first + i);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads(); // pixel i was copied by another thread
    for (int i = threadIdx.x; i < count; i += THREADS)
        out[blockIdx.y * crop.width + first + i] = brightened(row[i]);
}

/// `image` is a 16-byte aligned image with rows of `pitch` pixels. `out` gets the rectangle, row after row.
cudaError_t launch(const uint32_t* image, uint32_t* out, int pitch, int x, int y, int width, int height,
                   cudaStream_t stream) {
    const Crop crop{x, y, width, height};
    const dim3 grid((width + TILE - 1) / TILE, height);
    const bool in_fours = (crop.x | crop.width | pitch) % 4 == 0; // no row begins or ends inside 16 bytes
    const auto kernel = in_fours ? crop_rows<4> : crop_rows<1>;
    kernel<<<grid, THREADS, 0, stream>>>(image, out, pitch, crop);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
