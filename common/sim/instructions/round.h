// Rounding to an arbitrary binary format, in every rounding mode. Slow and plain; for conversions off the hot path.
#pragma once

#include <cstdint>
#include <string_view>

namespace sim::instructions {

enum class Rounding : uint8_t { nearest_even, nearest_away, zero, down, up };

/// ".rz", ".rzi" -> zero, and so on; nearest_even for anything else.
Rounding rounding_named(std::string_view name);

struct Format {
    int precision;    ///< significant bits with the hidden one
    int min_exponent; ///< of the smallest normal number, as a power of two
    double largest;
};
inline constexpr Format binary16{11, -14, 65504}, bfloat16{8, -126, 0x1.fep127}, tf32{11, -126, 0x1.ffcp127},
    binary32{24, -126, 0x1.fffffep127}, e4m3{4, -6, 448}, e5m2{3, -14, 57344}, e2m1{2, 0, 6}, e2m3{4, 0, 7.5},
    e3m2{3, -2, 28};

/// The integral value next to `value` in this mode.
double round_integral(double value, Rounding);

/// The value of `format` next to `value`. Overflow gives infinity or the largest value, as IEEE 754 has it.
double round_to(double value, const Format& format, Rounding);

} // namespace sim::instructions
