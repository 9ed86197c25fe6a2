// Operands that are addresses without brackets: what mov and cvta accept beside registers.
#pragma once

#include "sim/instructions/operands.h"

namespace sim::instructions {

/// An operand that is known only when the instruction runs: the address of a local variable or of a kernel's parameter,
/// or of a shared variable where the blocks of a cluster have different ones.
struct LateAddress {
    Space space = Space::generic; ///< local, shared or param; anything else: not late
    uint64_t offset = 0;
    uint64_t value(Exec& x) const {
        return offset + (space == Space::local    ? x.fragment().frame->local_base
                         : space == Space::shared ? uint64_t{x.block.own_tag} << memory::shared_rank_shift
                                                  : x.grid.parameter_address);
    }
};

/// Reads operand `i`. If it is a late address, the result does not exist() and `late` holds what to add.
OperandRef read_address(Decoder&, size_t i, uint32_t bytes, LateAddress& late);

} // namespace sim::instructions
