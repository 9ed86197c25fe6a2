// What wgmma.mma_async and the watch over its registers share.
#pragma once

#include "sim/async/warpgroup.h"
#include "sim/instructions/tensor_registers.h"

namespace sim::instructions::wgmma {

struct Multiply {
    tensor::Element a, b, d;
    tensor::Shape shape;
    tensor::Registers ds, as; ///< as: empty if A is in shared memory
    OperandRef a_descriptor, b_descriptor, scale_d;
    uint32_t scale_d_flip = 0;
    bool negate_a = false, negate_b = false, transpose_a = false, transpose_b = false;
    bool saturate = false;
    uint32_t each = 1;  ///< elements in a register; a word of b1 is one
    uint32_t depth = 1; ///< k in those elements
};

/// Watches the instructions of the executing function that touch registers of its wgmma.mma_async, or copies of them.
void watch_registers(Exec&);
/// A warp has issued the operation: checks its registers, and remembers that they belong to it. `x` is of any warp.
void issue_registers(Exec& x, Warp& warp, async::WarpMatrices& matrices, const Op& op);

} // namespace sim::instructions::wgmma
