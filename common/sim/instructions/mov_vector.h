// mov between a register and a vector of registers that together have its size.
#pragma once

#include "sim/instructions/product.h"

namespace sim::instructions {

/// Decodes `mov.b64 d, {a, b}` and `mov.b64 {d, e}, a`, of 2 or 4 elements, `bytes` bytes in all.
Handler decode_vector_mov(Decoder&, uint32_t bytes);

} // namespace sim::instructions
