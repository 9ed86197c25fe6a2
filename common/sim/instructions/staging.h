// Telling synchronous staging (global memory -> register -> shared memory) from other stores to shared memory.
#pragma once

#include "sim/instructions/records.h"

namespace sim::instructions {

/// Is a register of data operand `i` also the destination of a load that may read global memory, in this function?
bool comes_from_global(const Decoder&, size_t i);

} // namespace sim::instructions
