// Conversions between binary16 and wider formats: the compiler's own where it has the type, which WebAssembly does not.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace sim::instructions {

#if defined(__FLT16_MANT_DIG__) && !defined(__wasm__)

inline float from_binary16(uint16_t bits) {
    return float(std::bit_cast<_Float16>(bits));
}
/// Rounds to nearest even; of a NaN, the upper bits of its payload are left.
template <class Real>
uint16_t to_binary16(Real value) {
    return std::bit_cast<uint16_t>(_Float16(value));
}

#else

inline float from_binary16(uint16_t bits) {
    const uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
    if (exponent)
        return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float small = float(fraction) * 0x1p-24f;
    return sign ? -small : small;
}
/// Rounds to nearest even; of a NaN, the upper bits of its payload are left.
template <class Real>
uint16_t to_binary16(Real value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
        return uint16_t(sign | 0x7e00 | (std::bit_cast<uint64_t>(double(value)) >> 42 & 0x3ff));
    const double size = std::fabs(double(value));
    if (size >= 65520)
        return sign | 0x7c00;
    if (size < 0x1p-14)
        return uint16_t(sign | uint16_t(std::rint(size * 0x1p24)));
    int exponent = 0;
    const double fraction = std::frexp(size, &exponent); // what rounding carries over goes into the exponent
    return uint16_t(sign | ((exponent + 13) * 1024 + int(std::rint(fraction * 2048))));
}

#endif

} // namespace sim::instructions
