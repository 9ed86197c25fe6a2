// Shared parts of the instructions that touch memory: data operands (single or vectors), semantics and scope, counting.
#pragma once

#include <array>

#include "sim/instructions/operands.h"

namespace sim::instructions {

inline constexpr uint32_t most_vector_bytes = 32; ///< of one lane's access

/// The data operand of a load, store or atomic: one register or a vector of them, all of one width.
struct DataOperand {
    uint32_t count = 1;
    uint32_t register_bytes = 0;             ///< of each lane in a register: at least the type's size
    std::array<OperandRef, 8> part;          ///< part[i] does not exist for `_`
    mutable uint64_t conflict_noted = ~0ull; ///< the grid in which a bank conflict of this instruction was reported
};

/// Operand `i` as the destination of a load, `each` bytes per element; registers may be wider.
DataOperand loaded(Decoder&, size_t i, uint32_t each);
/// Operand `i` as the source of a store: every part exists.
DataOperand stored(Decoder&, size_t i, uint32_t each);
/// Elements named by `.v2` and so on; checks that the operand agrees.
void check_count(const Decoder&, const DataOperand&);

Semantics semantics(const Decoder&, Semantics otherwise = Semantics::weak);
Scope scope(const Decoder&, Scope otherwise);

/// Adds the bank cycles of an access to shared memory to the launch's statistics, and notes bank conflicts.
void count_banks(Exec&, const Op&, const DataOperand&, const Resolved&, uint32_t bytes);

/// The memory of a parameter operand: the kernel's parameter block, or one of a frame's per-lane areas.
struct ParameterPlace {
    bool kernel = false;
    uint32_t offset = 0; ///< in the block, or in one lane's part of the area
    uint32_t area = 0;   ///< offset of the area in the frame
    uint32_t stride = 0; ///< bytes per lane
};
/// For `[param + offset]`; throws DecodeError if [offset, offset + bytes) is not inside the parameter.
ParameterPlace parameter_place(Decoder&, const ptx::Operand& address, uint32_t bytes);
/// Is operand `i` an address whose base is a parameter's name?
bool names_parameter(const Decoder&, size_t i);

} // namespace sim::instructions
