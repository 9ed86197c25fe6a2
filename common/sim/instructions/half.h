// The 16-bit formats: IEEE binary16 (.f16) and bfloat16 (.bf16). Arithmetic on them is done in double: products are
// exact there, and inexact sums are rounded to odd, so that the one rounding to 16 bits that follows is the right one.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/instructions/binary16.h"

namespace sim::instructions {

/// Rounds `sum`, whose rounding error was `error`, to odd instead of to nearest.
inline double to_odd(double sum, double error) {
    auto bits = std::bit_cast<uint64_t>(sum);
    if (error < 0 || error > 0) {
        bits -= std::signbit(error) != std::signbit(sum);
        bits |= 1;
    }
    return std::bit_cast<double>(bits);
}

/// A value of a 16-bit format or a result on its way to one.
struct Exact {
    double value;
    friend Exact operator*(Exact a, Exact b) { return {a.value * b.value}; }
    friend Exact operator+(Exact a, Exact b) {
        const double sum = a.value + b.value, part = sum - a.value;
        return {to_odd(sum, (a.value - (sum - part)) + (b.value - part))};
    }
    friend Exact operator-(Exact a, Exact b) { return a + Exact{-b.value}; }
    friend Exact operator-(Exact a) { return {-a.value}; }
};

struct Binary16 {
    static constexpr uint16_t nan = 0x7fff;
    template <bool ftz>
    static double load(uint16_t bits) {
        if (ftz && !(bits & 0x7c00))
            bits &= 0x8000;
        return double(from_binary16(bits));
    }
    template <bool ftz>
    static uint16_t store(double value) {
        if (value != value)
            return nan;
        auto bits = to_binary16(value);
        if (ftz && !(bits & 0x7c00))
            bits &= 0x8000;
        return bits;
    }
};

struct Brain {
    static constexpr uint16_t nan = 0x7fff;
    template <bool ftz>
    static double load(uint16_t bits) {
        if (ftz && !(bits & 0x7f80))
            bits &= 0x8000;
        return double(std::bit_cast<float>(uint32_t(bits) << 16));
    }
    /// Round to nearest even from float.
    static uint16_t round(float value) {
        if (value != value)
            return nan;
        const auto bits = std::bit_cast<uint32_t>(value);
        return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
    template <bool ftz>
    static uint16_t store(double value) {
        // Through float, rounded to odd.
        const float narrow = float(value);
        auto bits = std::bit_cast<uint32_t>(narrow);
        if (value == value && double(narrow) != value) {
            bits -= std::fabs(double(narrow)) > std::fabs(value);
            bits |= 1;
        }
        uint16_t out = round(std::bit_cast<float>(bits));
        if (ftz && !(out & 0x7f80))
            out &= 0x8000;
        return out;
    }
};

} // namespace sim::instructions
