// Arithmetic alone: integer and floating point, no memory in the loop.
#include <cstdint>

extern "C" __global__ void bench(uint32_t* data, uint32_t n) {
    const uint32_t id = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t x = data[id] + id;
    float y = static_cast<float>(x);
    for (uint32_t i = 0; i < n; ++i) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 7;
        y = y * 0.999f + static_cast<float>(x & 15u);
    }
    data[id] = x + static_cast<uint32_t>(y);
}
