#include "sim/instructions/staging.h"

#include <algorithm>

namespace sim::instructions {
namespace {

using K = ptx::Operand::Kind;

template <class F>
void each_register(const ptx::Operand& operand, F&& f) {
    if (operand.kind == K::reg)
        f(operand.index);
    if (operand.kind == K::vector)
        for (const auto& element : operand.elements)
            each_register(element, f);
}

bool may_read_global(std::string_view opcode) {
    if (!opcode.starts_with("ld.") && !opcode.starts_with("ldu"))
        return false;
    for (std::string_view other : {".shared", ".local", ".param", ".const"})
        if (opcode.find(other) != std::string_view::npos)
            return false;
    return true;
}

/// Passes a value on without computing: copies, and the choice between a value and a filler.
bool passes_on(std::string_view opcode) {
    return opcode.starts_with("mov.") || opcode.starts_with("selp.");
}

std::vector<bool> registers_from_global(const ptx::Function& function) {
    std::vector<bool> from(function.code().registers.size());
    bool changed = true;
    for (int round = 0; changed && round < 8; ++round) {
        changed = false;
        for (const auto& instruction : function.body()) {
            if (instruction.operands.empty())
                continue;
            bool carries = may_read_global(instruction.opcode);
            if (!carries && passes_on(instruction.opcode))
                for (size_t i = 1; i < instruction.operands.size(); ++i)
                    each_register(instruction.operands[i], [&](uint32_t reg) { carries = carries || from[reg]; });
            if (carries)
                each_register(instruction.operands[0], [&](uint32_t reg) {
                    changed = changed || !from[reg];
                    from[reg] = true;
                });
        }
    }
    return from;
}

} // namespace

bool comes_from_global(Decoder& d, size_t i) {
    auto& from = d.function().from_global;
    if (from.empty())
        from = registers_from_global(*d.function().function);
    bool found = false;
    each_register(d.operand(i), [&](uint32_t reg) { found = found || from.at(reg); });
    return found;
}

} // namespace sim::instructions
