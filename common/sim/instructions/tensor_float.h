// The floating types of tensor cores, taken apart without a branch, so that loops over them are vectorised.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "sim/instructions/tensor_numbers.h"

namespace sim::instructions::tensor {

/// `ignored`: low bits of the mantissa that do not count; `finite_top`: the largest exponent is one like the others,
/// and only a mantissa of ones with it is a NaN.
template <uint32_t all, uint32_t exponent_bits, uint32_t mantissa_bits, uint32_t ignored = 0, bool finite_top = false>
struct Float {
    static constexpr uint32_t bits = all, exponents = exponent_bits, mantissa = mantissa_bits, unused = ignored;
    static constexpr bool no_infinity = finite_top;
};
using F16 = Float<16, 5, 10>;
using BF16 = Float<16, 8, 7>;
using TF32 = Float<32, 8, 23, 13>;
using F32 = Float<32, 8, 23>;
using E4M3 = Float<8, 4, 3, 0, true>;
using E5M2 = Float<8, 5, 2>;

/// A number without its sign.
struct Parts {
    float significand; ///< less than 2, and not below 1 unless the number is subnormal or zero
    float number;
    int32_t exponent; ///< lowest_exponent: zero
    int32_t unit;     ///< the exponent of the lowest bit that is set; -lowest_exponent: zero
    uint32_t special; ///< 1: an infinity or a NaN, and so are `significand` and `number`
};

/// 2^n for n in the normal range.
inline float power_of_two(int32_t n) {
    return std::bit_cast<float>((n + 127) << 23);
}

template <class F>
inline Parts take_apart(uint32_t bits) {
    constexpr int32_t top = (1 << F::exponents) - 1, bias = top / 2, places = F::mantissa;
    const int32_t biased = int32_t(bits >> places & uint32_t(top));
    const int32_t fraction = int32_t(bits & ((1u << places) - 1) & ~((1u << F::unused) - 1));
    const int32_t mantissa = fraction | (biased ? 1 << places : 0);
    const int32_t exponent = (biased ? biased : 1) - bias;
    const int32_t lowest = std::bit_cast<int32_t>(float(mantissa & -mantissa)) >> 23; // its exponent + 127
    const bool zero = mantissa == 0;
    Parts parts;
    parts.significand = float(mantissa) * power_of_two(-places);
    parts.number = parts.significand * power_of_two(exponent <= 127 ? exponent : 127);
    parts.special = biased == top && (!F::no_infinity || fraction == (1 << places) - 1);
    const float beyond = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    parts.significand = parts.special ? beyond : parts.significand;
    parts.number = parts.special ? beyond : parts.number;
    parts.exponent = zero ? lowest_exponent : exponent;
    parts.unit = zero ? -lowest_exponent : exponent - places + lowest - 127;
    return parts;
}

} // namespace sim::instructions::tensor
