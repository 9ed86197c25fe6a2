#include "sim/instructions/round.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace sim::instructions {

Rounding rounding_named(std::string_view name) {
    if (name == ".rz" || name == ".rzi")
        return Rounding::zero;
    if (name == ".rm" || name == ".rmi")
        return Rounding::down;
    if (name == ".rp" || name == ".rpi")
        return Rounding::up;
    return name == ".rna" ? Rounding::nearest_away : Rounding::nearest_even;
}

double round_integral(double value, Rounding mode) {
    switch (mode) {
    case Rounding::zero:
        return std::trunc(value);
    case Rounding::down:
        return std::floor(value);
    case Rounding::up:
        return std::ceil(value);
    case Rounding::nearest_away:
        return std::round(value);
    default:
        return std::nearbyint(value);
    }
}

namespace {

/// Normal numbers that are exact, or rounded to the nearest: most of them.
std::optional<double> rounded_quickly(double value, const Format& format, Rounding mode) {
    const auto bits = std::bit_cast<uint64_t>(value);
    if (int(bits >> 52 & 0x7ff) - 1023 < format.min_exponent || !(std::fabs(value) <= format.largest))
        return {};
    const int dropped = 53 - format.precision;
    const uint64_t below = (uint64_t{1} << dropped) - 1, odd = bits >> dropped & 1;
    if (!(bits & below))
        return value;
    const auto rounded = std::bit_cast<double>((bits + (below >> 1) + odd) & ~below);
    if (mode != Rounding::nearest_even || std::fabs(rounded) > format.largest)
        return {};
    return rounded;
}

} // namespace

double round_to(double value, const Format& format, Rounding mode) {
    if (value == 0 || !std::isfinite(value))
        return value;
    if (const auto quick = rounded_quickly(value, format, mode))
        return *quick;
    const int unit = std::max(std::ilogb(value), format.min_exponent) - (format.precision - 1);
    const double rounded = std::copysign(std::ldexp(round_integral(std::ldexp(value, -unit), mode), unit), value);
    if (std::fabs(rounded) <= format.largest)
        return rounded;
    const bool towards_infinity = mode == Rounding::nearest_even || mode == Rounding::nearest_away ||
                                  mode == (value > 0 ? Rounding::up : Rounding::down);
    return std::copysign(towards_infinity ? INFINITY : format.largest, value);
}

} // namespace sim::instructions
