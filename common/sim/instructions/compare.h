// Comparisons of set and setp. Source: PTX ISA, "Comparison and Selection Instructions".
#pragma once

#include "sim/instructions/floating.h"

namespace sim::instructions {

/// Raw result of the comparison for all 32 lanes.
using Compare = uint32_t (*)(Exec&, const Op&);

/// The comparison of `op.a` and `op.b` named by a modifier (".lt") on `type`. Throws DecodeError if it does not exist
/// for the type.
Compare comparison(Decoder&, std::string_view name, Type type, bool ftz);

/// For .f16x2 and .bf16x2: the comparison of the lower (0) or upper (1) halves.
Compare half_comparison(Decoder&, std::string_view name, Type type, bool ftz, int which);

/// How a comparison's result is combined with the third source.
enum class Combine : uint8_t { none, with_and, with_or, with_xor };
Combine combination(const Decoder&);
inline uint32_t combine(Combine how, uint32_t result, uint32_t c) {
    return how == Combine::none       ? result
           : how == Combine::with_and ? result & c
           : how == Combine::with_or  ? result | c
                                      : result ^ c;
}

} // namespace sim::instructions
