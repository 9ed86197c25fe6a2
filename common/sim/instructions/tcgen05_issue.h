// What the tcgen05 operations that one thread issues have in common: mma, cp and shift.
#pragma once

#include <string>
#include <vector>

#include "sim/async/engine.h"
#include "sim/instructions/bulk_operands.h"
#include "sim/instructions/tcgen05_group.h"
#include "sim/instructions/tcgen05_product.h"

namespace sim::instructions::tcgen05 {

/// Reports that a descriptor, or an address in Tensor Memory, asks for what does not exist, and fails. False.
bool refuse(Exec& x, const Op& op, const std::string& what);

/// An address in Tensor Memory, of the one lane that executes.
uint32_t address(Exec& x, const AddressRef& ref, int lane);

/// The CTAs on which the operation works, the even one first: the executing one, or both of its pair. Empty: reported.
std::vector<Block*> ctas(Exec& x, const Op& op, uint32_t group);

/// The pieces of 16 bytes of a matrix that the descriptor describes, in the shared memory of `block`: `inner` of them
/// for each of the `outer` lines, or (transposed) for each k. False: it leaves that memory, which is reported.
bool find_pieces(Exec& x, const Op& op, Block& block, uint64_t descriptor, bool transposed, uint32_t outer,
                 uint32_t inner, std::vector<uint32_t>& offsets, events::MatrixOperand& read);

/// Tells the listener, and begins the operation.
void issue(Exec& x, int lane, events::TensorIssue& what, std::function<void()> carry_out);

} // namespace sim::instructions::tcgen05
