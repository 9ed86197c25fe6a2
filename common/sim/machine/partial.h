// Loaded words of which nothing has written some bytes. What matters is whether these bytes are used: a half2 of which
// one half is missing may be copied as a whole, and its other half may be used.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/ptx/module.h"

namespace sim::machine {

/// Bytes of a register, one bit each.
using Bytes = uint16_t;

/// What reading a register does to one of the instruction's results.
struct Carried {
    Bytes missing = 0;     ///< bytes of the result that depend on the missing ones
    bool computed = false; ///< they are no copies of them
};

/// `missing`: bytes of the operand number `operand` (of a vector, of its element) that nothing has written; `result`:
/// the element of operand 0, if that is a vector. nullopt: the result depends on all of them.
std::optional<Carried> carried(const ptx::Instruction& code, size_t operand, size_t element, size_t result,
                               Bytes missing);

} // namespace sim::machine
