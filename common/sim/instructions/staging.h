// Telling synchronous staging (global memory -> register -> shared memory) from other stores to shared memory.
#pragma once

#include "sim/instructions/records.h"

namespace sim::instructions {

/// May data operand `i` hold a value just as it was loaded from global memory (or moved since)? Values that something
/// was computed from do not count.
bool comes_from_global(Decoder&, size_t i);

} // namespace sim::instructions
