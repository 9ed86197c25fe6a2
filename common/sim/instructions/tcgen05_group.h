// What the tcgen05 instructions share.
#pragma once

#include "sim/instructions/operands.h"

namespace sim::instructions {

/// Targets that have tcgen05 (PTX ISA, "Target ISA Notes" of its instructions).
inline constexpr std::string_view tcgen05_targets = "sm_100f sm_110f";

/// .cta_group of the instruction: 1 or 2. All tcgen05 instructions of a kernel have the same; ptxas refuses a kernel
/// that mixes them, and so does this.
uint32_t cta_group(Decoder&);

/// The value of a 32-bit operand that all lanes of the warp must share. False: reported, and x has failed.
bool same_in_warp(Exec&, const Op&, OperandRef, std::string_view name, uint32_t& value);

/// May the block's instruction touch these cells? Reports cells that are not allocated. False: there are no such cells,
/// and x has failed. `name`: "the accumulator".
bool check_cells(Exec&, const Op&, const events::TensorCells&, std::string_view name);

} // namespace sim::instructions
