// The parts of cvt: reading lanes of any type exactly, rounding, and writing them into registers of any width.
#pragma once

#include "sim/instructions/floating.h"
#include "sim/instructions/product.h"
#include "sim/instructions/round.h"

namespace sim::instructions {

/// Lanes on their way from one type to another: exact integers or exact doubles.
struct Lanes {
    int128 integer[32];
    double real[32];
};

/// One conversion, as decoded.
struct Conversion {
    Type from, to;
    uint32_t from_bytes, to_bytes; ///< widths of the registers
    Rounding rounding = Rounding::nearest_even;
    bool to_integral = false; ///< .rni and so on
    bool ftz = false, sat = false, relu = false, satfinite = false;
    void (*load)(const std::byte* source, bool ftz, Lanes&) = nullptr;
    void (*store)(const Lanes&, uint32_t mask, std::byte* destination) = nullptr;
};

/// Fills in load and store. False: there is no such type.
bool choose_access(Conversion&);
/// Converts all lanes.
void convert(const Conversion&, Lanes&);

/// A handler for the most frequent conversions, or nullptr.
Handler direct_conversion(const Conversion&);

} // namespace sim::instructions
