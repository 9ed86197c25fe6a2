#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/instructions/binary16.h"
#include "sim/instructions/tensor_float.h"

namespace sim::instructions::tensor {
namespace {

constexpr uint32_t nan32 = 0x7fffffff, nan16 = 0x7fff;

/// 2^n for n in double's normal range.
double power(int n) {
    return std::bit_cast<double>(uint64_t(1023 + n) << 52);
}

/// Cuts `value` to `kept` significant bits and converts it: toward zero.
uint32_t cut_to_float(double value, int kept) {
    if (std::fabs(value) < 0x1p-126)
        return std::bit_cast<uint32_t>(float(std::trunc(value * 0x1p149) * 0x1p-149));
    const uint64_t bits = std::bit_cast<uint64_t>(value) & ~((uint64_t{1} << (53 - kept)) - 1);
    return std::bit_cast<uint32_t>(float(std::bit_cast<double>(bits))); // 2^128 and more become infinite
}

uint32_t round_to_half(double value) {
    return to_binary16(value);
}

/// An accumulator on its way through a sum.
struct Addend {
    double value;
    int32_t exponent;
    bool special;
};

Addend decode(Element element, uint32_t bits) {
    if (element == Element::f16) {
        const int exponent = int(bits >> 10 & 31);
        if (!(bits & 0x7fff))
            return {0, lowest_exponent, false};
        return {double(from_binary16(uint16_t(bits))), exponent ? exponent - 15 : -14, exponent == 31};
    }
    const int exponent = int(bits >> 23 & 255);
    if (!(bits & 0x7fffffff))
        return {0, lowest_exponent, false};
    return {double(std::bit_cast<float>(bits)), exponent ? exponent - 127 : -126, exponent == 255};
}

/// A sum with an infinity or a NaN in it.
uint32_t special_sum(Element element, const Addend& c, const float* a, const float* b, uint32_t stride,
                     uint32_t depth) {
    double sum = c.value;
    for (uint32_t k = 0; k < depth; ++k)
        sum += double(a[k]) * double(b[k * stride]);
    if (sum != sum)
        return element == Element::f16 ? nan16 : nan32;
    return element == Element::f16 ? round_to_half(sum) : std::bit_cast<uint32_t>(float(sum));
}

/// `width` columns of one row, `depth` products of each.
template <int width>
void sum_products(const Summation& how, const float* a, const int32_t* a_exponent, const float* b,
                  const int32_t* b_exponent, uint32_t stride, uint32_t depth, const Addend* c, double* out) {
    int32_t top[width];
    uint32_t sum[width] = {}; // of int32_t
    for (int n = 0; n < width; ++n)
        top[n] = c[n].exponent;
    for (uint32_t k = 0; k < depth; ++k)
        for (int n = 0; n < width; ++n)
            top[n] = std::max(top[n], a_exponent[k] + b_exponent[k * stride + uint32_t(n)]);
    for (int n = 0; n < width; ++n)
        top[n] = std::max(top[n], -900); // all of them zero
    const int32_t above = 127 + how.fraction;
    for (uint32_t k = 0; k < depth; ++k)
        for (int n = 0; n < width; ++n) {
            const uint32_t at = k * stride + uint32_t(n);
            const int32_t scale = std::max(above + a_exponent[k] + b_exponent[at] - top[n], 1);
            sum[n] += uint32_t(int32_t(a[k] * b[at] * std::bit_cast<float>(scale << 23)));
        }
    for (int n = 0; n < width; ++n) {
        const double addend = std::trunc(c[n].value * power(std::clamp(how.fraction - top[n], -1000, 1000)));
        out[n] = (double(int32_t(sum[n])) + (c[n].exponent == lowest_exponent ? 0.0 : addend)) *
                 power(top[n] - how.fraction);
    }
}

template <int width>
void multiply_cutting(Element accumulator, const Summation& how, const Size& size, const Multiplicand& a,
                      const Multiplicand& b, uint32_t* accumulators) {
    const uint32_t step = std::min(how.depth, size.depth);
    for (uint32_t row = 0; row < size.rows; ++row)
        for (uint32_t column = 0; column < size.columns; column += width) {
            uint32_t* d = accumulators + row * size.columns + column;
            for (uint32_t k = 0; k < size.depth; k += step) {
                const uint32_t left = row * size.depth + k, right = k * size.columns + column;
                Addend c[width];
                double sums[width];
                for (int n = 0; n < width; ++n)
                    c[n] = decode(accumulator, d[n]);
                sum_products<width>(how, a.significand + left, a.exponent + left, b.significand + right,
                                    b.exponent + right, size.columns, step, c, sums);
                for (uint32_t n = 0; n < width; ++n)
                    if (a.special[row] || b.special[column + n] || c[n].special)
                        d[n] = special_sum(accumulator, c[n], a.significand + left, b.significand + right + n,
                                           size.columns, step);
                    else
                        d[n] = accumulator == Element::f16 ? round_to_half(sums[n]) : cut_to_float(sums[n], how.kept);
            }
        }
}

template <class F>
Extent extent_of(const uint32_t* numbers, uint32_t count) {
    Extent extent;
    uint32_t special = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const Parts parts = take_apart<F>(numbers[i]);
        extent.top = std::max(extent.top, parts.exponent);
        extent.unit = std::min(extent.unit, parts.unit);
        special |= parts.special;
    }
    extent.special = special != 0;
    return extent;
}

/// Is every partial sum exactly representable in the accumulators' type, so that nothing is ever cut off?
bool sums_are_exact(Element accumulator, const Summation& how, uint32_t depth, const Extent& a, const Extent& b,
                    const Extent& c) {
    if (a.special || b.special || c.special)
        return false;
    // All addends are multiples of 2^unit, and every sum of some of them is below 2^above.
    const int32_t unit = std::min(a.unit + b.unit, c.unit);
    const int32_t above = std::max(a.top + b.top + 2, c.top + 1) + int32_t(std::bit_width(depth));
    const bool half = accumulator == Element::f16;
    const int32_t kept = std::min(half ? 11 : how.kept, how.fraction + 1);
    return above - unit <= kept && above <= (half ? 15 : 127) && unit >= (half ? -24 : -126);
}

/// `width` columns of a row of sums, in registers.
template <uint32_t width>
void add_products(const float* a, const float* b, uint32_t stride, uint32_t depth, float* sums) {
    float sum[width];
    std::copy_n(sums, width, sum);
    for (uint32_t k = 0; k < depth; ++k) {
        const float factor = a[k];
        const float* const row = b + size_t{k} * stride;
        for (uint32_t n = 0; n < width; ++n)
            sum[n] += factor * row[n];
    }
    std::copy_n(sum, width, sums);
}

void multiply_exactly(Element accumulator, const Size& size, const Multiplicand& a, const Multiplicand& b,
                      uint32_t* accumulators) {
    const bool half = accumulator == Element::f16;
    float sums[most_columns];
    for (uint32_t row = 0; row < size.rows; ++row) {
        uint32_t* const d = accumulators + row * size.columns;
        for (uint32_t n = 0; n < size.columns; ++n) // -0 becomes 0
            sums[n] = 0 + (half ? from_binary16(uint16_t(d[n])) : std::bit_cast<float>(d[n]));
        const float* const left = a.number + row * size.depth;
        uint32_t column = 0;
        for (; column + 64 <= size.columns; column += 64)
            add_products<64>(left, b.number + column, size.columns, size.depth, sums + column);
        for (; column < size.columns; column += 8)
            add_products<8>(left, b.number + column, size.columns, size.depth, sums + column);
        for (uint32_t n = 0; n < size.columns; ++n)
            d[n] = half ? to_binary16(sums[n]) : std::bit_cast<uint32_t>(sums[n]);
    }
}

} // namespace

void multiply_floats(Element accumulator, const Summation& how, const Size& size, const Multiplicand& a,
                     const Multiplicand& b, uint32_t* accumulators) {
    const uint32_t count = size.rows * size.columns;
    const Extent c =
        accumulator == Element::f16 ? extent_of<F16>(accumulators, count) : extent_of<F32>(accumulators, count);
    if (sums_are_exact(accumulator, how, size.depth, a.extent, b.extent, c))
        multiply_exactly(accumulator, size, a, b, accumulators);
    else if (size.columns % 16 == 0)
        multiply_cutting<16>(accumulator, how, size, a, b, accumulators);
    else
        multiply_cutting<8>(accumulator, how, size, a, b, accumulators);
}

void multiply_integers(Bitwise how, bool saturate, const Size& size, const Multiplicand& a, const Multiplicand& b,
                       uint32_t* accumulators) {
    for (uint32_t row = 0; row < size.rows; ++row)
        for (uint32_t column = 0; column < size.columns; ++column) {
            uint32_t& d = accumulators[row * size.columns + column];
            int64_t sum = int32_t(d);
            for (uint32_t k = 0; k < size.depth; ++k) {
                const int32_t left = a.integer[row * size.depth + k], right = b.integer[k * size.columns + column];
                sum += how == Bitwise::multiply       ? left * right
                       : how == Bitwise::exclusive_or ? std::popcount(uint32_t(left ^ right))
                                                      : std::popcount(uint32_t(left & right));
            }
            d = saturate ? uint32_t(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX)) : uint32_t(sum);
        }
}

uint32_t add(Element element, uint32_t a, uint32_t b) {
    if (element == Element::f16) {
        const double sum = decode(element, a).value + decode(element, b).value; // exact
        return sum != sum ? nan16 : round_to_half(sum);
    }
    const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
    return sum != sum ? nan32 : std::bit_cast<uint32_t>(sum);
}

double multiply_add(double a, double b, double c) {
    for (const double input : {b, c, a})
        if (input != input)
            return std::bit_cast<double>(std::bit_cast<uint64_t>(input) | uint64_t{1} << 51); // made quiet
    const double sum = __builtin_fma(a, b, c);
    return sum != sum ? std::bit_cast<double>(0xfff8000000000000) : sum;
}

} // namespace sim::instructions::tensor
