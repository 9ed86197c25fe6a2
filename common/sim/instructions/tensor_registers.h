// The register operands of matrix instructions, and moving them to and from matrices.
#pragma once

#include <vector>

#include "sim/instructions/operands.h"
#include "sim/instructions/tensor_numbers.h"

namespace sim::instructions::tensor {

using Registers = std::vector<OperandRef>;

/// Operand `i`: `count` registers of `bytes` bytes each, in braces or one alone. Throws DecodeError if it is something
/// else.
Registers registers_read(Decoder&, size_t i, size_t count, uint32_t bytes);
Registers registers_written(Decoder&, size_t i, size_t count, uint32_t bytes);

/// Sizes named by a shape: ".m16n8k16".
struct Shape {
    uint32_t m = 0, n = 0, k = 0;
};
Shape shape_of(std::string_view modifier);

/// The accumulators of a warp: 16 (or 8) rows and `columns` columns, from or to lanes' registers. Two .f16 share a
/// register.
void load_accumulators(Exec&, const Registers&, bool halves, uint32_t columns, uint32_t* matrix);
void store_accumulators(Exec&, const Registers&, bool halves, uint32_t columns, const uint32_t* matrix);

/// Have all lanes of the warp met here? False: return `flow`.
bool whole_warp(Exec&, const Op&, Flow& flow);

} // namespace sim::instructions::tensor
