// Read-modify-write operations, shared by atom and red. Lanes take their turns in lane order.
#pragma once

#include "sim/instructions/memory_operands.h"

namespace sim::instructions {

/// The decoded parts of one atomic instruction.
struct Atomic {
    DataOperand result; ///< old values; parts do not exist for red
    DataOperand source, compare;
    bool vector = false;
    Semantics semantics = Semantics::relaxed;
    Scope scope = Scope::gpu;
};

/// The handler for operation `name` (".add") on `type`; op.extra will be an Atomic. Throws DecodeError if there is
/// none.
Handler atomic_handler(Decoder&, std::string_view name, Type type);

} // namespace sim::instructions
