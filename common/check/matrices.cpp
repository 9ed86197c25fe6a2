#include "check/matrices.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace check {

uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float from_bf16(uint16_t bits) {
    return std::bit_cast<float>(uint32_t{bits} << 16);
}

std::vector<uint16_t> to_bf16(const std::vector<float>& values) {
    std::vector<uint16_t> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), [](float value) { return to_bf16(value); });
    return result;
}

float dot(const float* a, const float* b, size_t count) {
    constexpr size_t width = 16; // for vector instructions
    float sums[width] = {};
    size_t i = 0;
    for (; i + width <= count; i += width)
        for (size_t j = 0; j < width; ++j)
            sums[j] += a[i + j] * b[i + j];
    return std::inner_product(a + i, a + count, b + i, std::accumulate(sums, sums + width, 0.0f));
}

std::vector<uint16_t> product(const std::vector<float>& a, const std::vector<float>& b, size_t m, size_t n, size_t k) {
    std::vector<uint16_t> d(m * n);
    for (size_t row = 0; row < m; ++row)
        for (size_t column = 0; column < n; ++column)
            d[row * n + column] = to_bf16(dot(a.data() + row * k, b.data() + column * k, k));
    return d;
}

} // namespace check
