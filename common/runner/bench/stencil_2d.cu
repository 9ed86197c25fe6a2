// A 2D stencil with a halo: the rows of a block are on different rows of the tile, and most loads are not aligned to a
// line.
#include <cstdint>

constexpr uint32_t WIDTH = 32, HEIGHT = 8, PITCH = 256;

extern "C" __global__ void bench(uint32_t* data, uint32_t n) {
    __shared__ uint32_t tile[HEIGHT + 2][WIDTH + 2];
    const uint32_t x = threadIdx.x, y = threadIdx.y;
    const uint32_t* in = data + blockIdx.y * HEIGHT * PITCH + blockIdx.x * WIDTH;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; ++i, in += 4 * HEIGHT * PITCH) {
        for (uint32_t r = y; r < HEIGHT + 2; r += HEIGHT)
            for (uint32_t c = x; c < WIDTH + 2; c += WIDTH)
                tile[r][c] = in[r * PITCH + c];
        __syncthreads();
        for (uint32_t r = 0; r < 3; ++r)
            for (uint32_t c = 0; c < 3; ++c)
                sum += tile[y + r][x + c] * (r + c + 1);
        __syncthreads();
    }
    data[(1u << 19) + (blockIdx.y * HEIGHT + y) * PITCH + blockIdx.x * WIDTH + x] = sum;
}
