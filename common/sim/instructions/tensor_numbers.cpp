#include "sim/instructions/tensor_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/instructions/binary16.h"

namespace sim::instructions::tensor {
namespace {

struct Format {
    std::string_view name;
    uint32_t bits;
    uint32_t exponent, mantissa; ///< 0: an integer
};
constexpr Format formats[] = {{".f16", 16, 5, 10},  {".bf16", 16, 8, 7}, {".tf32", 32, 8, 23}, {".f32", 32, 8, 23},
                              {".f64", 64, 11, 52}, {".e4m3", 8, 4, 3},  {".e5m2", 8, 5, 2},   {".u8", 8, 0, 0},
                              {".s8", 8, 0, 0},     {".u4", 4, 0, 0},    {".s4", 4, 0, 0},     {".b1", 1, 0, 0},
                              {".s32", 32, 0, 0}};

const Format& format(Element element) {
    return formats[size_t(element)];
}

constexpr uint32_t nan32 = 0x7fffffff, nan16 = 0x7fff;
constexpr int width = 8; // columns at once: the loops over them are vectorised

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

} // namespace

Element element_named(std::string_view modifier) {
    const auto* found = std::ranges::find(formats, modifier, &Format::name);
    return Element(found - formats);
}

uint32_t bits_of(Element element) {
    return format(element).bits;
}

bool is_floating(Element element) {
    return format(element).exponent > 0;
}

void Multiplicand::clear_special() {
    std::memset(special, 0, sizeof special);
}

void Multiplicand::put(Element element, uint32_t index, uint32_t line, uint32_t bits, bool negate) {
    switch (element) {
    case Element::s8:
        integer[index] = int8_t(bits);
        return;
    case Element::s4:
        integer[index] = int8_t(bits << 4) >> 4;
        return;
    case Element::u8:
    case Element::u4:
    case Element::b1:
    case Element::s32:
        integer[index] = int32_t(bits);
        return;
    default:
        break;
    }
    const Format& f = format(element);
    const int top = (1 << f.exponent) - 1, bias = top / 2, biased = int(bits >> f.mantissa) & top;
    uint32_t mantissa = bits & ((1u << f.mantissa) - 1);
    if (element == Element::tf32)
        mantissa &= ~0x1fffu;
    const bool e4m3 = element == Element::e4m3;
    float value =
        float(int32_t(mantissa | (biased ? 1u << f.mantissa : 0))) * std::bit_cast<float>((127 - f.mantissa) << 23);
    exponent[index] = value == 0 ? lowest_exponent : biased ? biased - bias : 1 - bias;
    if (biased == top && (!e4m3 || mantissa == 7)) {
        value = mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
        special[line] = true;
    }
    significand[index] = ((bits >> (f.bits - 1) & 1) != 0) != negate ? -value : value;
}

float Multiplicand::value(uint32_t index) const {
    return exponent[index] == lowest_exponent ? 0 : std::ldexp(significand[index], exponent[index]);
}

void multiply_floats(Element accumulator, const Summation& how, const Size& size, const Multiplicand& a,
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
                sum_products(how, a.significand + left, a.exponent + left, b.significand + right, b.exponent + right,
                             size.columns, step, c, sums);
                for (uint32_t n = 0; n < width; ++n)
                    if (a.special[row] || b.special[column + n] || c[n].special)
                        d[n] = special_sum(accumulator, c[n], a.significand + left, b.significand + right + n,
                                           size.columns, step);
                    else
                        d[n] = accumulator == Element::f16 ? round_to_half(sums[n]) : cut_to_float(sums[n], how.kept);
            }
        }
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
