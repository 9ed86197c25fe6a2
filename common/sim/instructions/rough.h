// The "gross approximations" rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: only the upper 32 bits of the result are
// there.
#pragma once

#include "sim/instructions/floating.h"

namespace sim::instructions {

inline double flush_double(double value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    return std::bit_cast<double>(bits & (bits & 0x7ffull << 52 ? ~0ull : 1ull << 63));
}

inline double upper_half(double value) {
    return flush_double(std::bit_cast<double>(std::bit_cast<uint64_t>(value) & ~0xffffffffull));
}

} // namespace sim::instructions
