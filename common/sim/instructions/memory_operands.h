// Shared by ld, st, atom and red: state spaces, semantics and scopes of an opcode, vectors of registers, parameter areas.
#pragma once

#include <array>

#include "sim/instructions/operands.h"

namespace sim::instructions {

/// Registers of a vector operand (or one register).
struct VectorRegisters {
    std::array<OperandRef, 8> lanes;
    uint32_t count = 0;
};

/// Semantics and scope of a memory instruction, kept in Op::flags: semantics in the low 4 bits, scope above.
inline uint8_t ordering_flags(const Decoder& d) {
    Semantics semantics = Semantics::weak;
    if (d.has(".volatile") || d.has(".mmio"))
        semantics = Semantics::relaxed;
    const std::string_view sem = d.value(".sem");
    if (sem == ".relaxed")
        semantics = Semantics::relaxed;
    else if (sem == ".acquire")
        semantics = Semantics::acquire;
    else if (sem == ".release")
        semantics = Semantics::release;
    else if (sem == ".acq_rel")
        semantics = Semantics::acq_rel;
    Scope scope = Scope::sys;
    const std::string_view name = d.value(".scope");
    if (name == ".cta")
        scope = Scope::cta;
    else if (name == ".cluster")
        scope = Scope::cluster;
    else if (name == ".gpu")
        scope = Scope::gpu;
    return uint8_t(uint8_t(semantics) | uint8_t(scope) << 4);
}
inline Semantics semantics_of(const Op& op) { return Semantics(op.flags & 15); }
inline Scope scope_of(const Op& op) { return Scope(op.flags >> 4); }

/// A parameter operand of a device function or call site: where its per-lane area lies in the frame.
struct ParameterArea {
    uint32_t offset = 0; ///< of lane 0, in the frame
    uint32_t stride = 0; ///< bytes from one lane to the next
};

/// If `operand` names a parameter that lives in the frame, its area. Kernel parameters do not.
inline bool frame_parameter(Decoder& d, const ptx::Operand& operand, ParameterArea& area) {
    const ptx::Operand& base = operand.kind == ptx::Operand::Kind::address ? operand.elements.at(0) : operand;
    if (base.kind != ptx::Operand::Kind::param)
        return false;
    const DecodedFunction& f = d.function();
    const int64_t extra = base.offset + (&base == &operand ? 0 : operand.offset);
    auto at = [&](const std::vector<ptx::Parameter>& parameters, uint32_t first, uint32_t stride) {
        area = {first + uint32_t(int64_t(parameters.at(base.index).offset) + extra), stride};
        return true;
    };
    if (base.is_call_param)
        return at(f.function->call_params, f.call_offset, f.call_bytes);
    if (base.is_return)
        return at(f.function->returns, f.returns_offset, f.returns_bytes);
    if (!f.function->is_entry)
        return at(f.function->params, f.params_offset, f.params_bytes);
    return false;
}

/// The byte offset of a kernel parameter operand in the parameter block.
inline uint32_t kernel_parameter(Decoder& d, const ptx::Operand& operand) {
    const ptx::Operand& base = operand.kind == ptx::Operand::Kind::address ? operand.elements.at(0) : operand;
    return uint32_t(int64_t(d.function().function->params.at(base.index).offset) + base.offset +
                    (&base == &operand ? 0 : operand.offset));
}

} // namespace sim::instructions
