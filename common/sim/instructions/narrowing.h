// Rounding numbers to formats of a byte and less, and their encodings.
#pragma once

#include "sim/instructions/floating.h"
#include "sim/instructions/round.h"

namespace sim::instructions {

struct Narrowing {
    const Format* format;
    Rounding rounding;
    bool relu, satfinite, brain;
};

inline double narrowed(const Narrowing& n, double value) {
    if (n.relu && value <= 0)
        value = 0;
    value = round_to(value, *n.format, n.rounding);
    return n.satfinite && std::isinf(value) ? std::copysign(n.format->largest, value) : value;
}

/// An 8-bit value: sign, exponent, mantissa. Both formats have the NaN 0x7f.
inline uint8_t encode8(const Format& format, double value) {
    if (value != value)
        return 0x7f;
    const int mantissa = format.precision - 1;
    const uint8_t sign = std::signbit(value) ? 0x80 : 0;
    value = std::fabs(value);
    if (value == 0)
        return sign;
    const int exponent = std::max(std::ilogb(value), format.min_exponent);
    const auto significand = int(std::ldexp(value, mantissa - exponent)); // 2^mantissa and up when normal
    const int field = significand >> mantissa ? exponent - format.min_exponent + 1 : 0;
    return uint8_t(sign | field << mantissa | (significand & ((1 << mantissa) - 1)));
}

inline double decode8(const Format& format, uint8_t bits) {
    const int mantissa = format.precision - 1, field = (bits & 0x7f) >> mantissa, low = bits & ((1 << mantissa) - 1);
    double value =
        std::ldexp(field ? low + (1 << mantissa) : low, std::max(field, 1) - 1 + format.min_exponent - mantissa);
    if (mantissa == 3 ? (bits & 0x7f) == 0x7f : field == 31 && low)
        value = NAN;
    else if (mantissa == 2 && field == 31)
        value = INFINITY;
    return bits & 0x80 ? -value : value;
}

/// The same for e2m1, e2m3 and e3m2, which have neither infinities nor NaN: all their codes are numbers. `bits`: of a
/// value. NaN becomes the largest number (PTX ISA, "cvt").
inline uint8_t encode_small(const Format& format, uint32_t bits, double value) {
    if (value != value)
        value = format.largest;
    const uint8_t code = encode8(format, value);
    return uint8_t((code & 0x80) >> (8 - bits) | (code & 0x7f));
}

inline double decode_small(const Format& format, uint32_t bits, uint8_t code) {
    const int mantissa = format.precision - 1, magnitude = code & ((1 << (bits - 1)) - 1);
    const int field = magnitude >> mantissa, low = magnitude & ((1 << mantissa) - 1);
    const double value =
        std::ldexp(field ? low + (1 << mantissa) : low, std::max(field, 1) - 1 + format.min_exponent - mantissa);
    return code >> (bits - 1) & 1 ? -value : value;
}

} // namespace sim::instructions
