#include "sim/instructions/staging.h"

#include <algorithm>

namespace sim::instructions {
namespace {

using K = ptx::Operand::Kind;

bool names(const ptx::Operand& operand, uint32_t index) {
    if (operand.kind == K::vector)
        return std::any_of(operand.elements.begin(), operand.elements.end(),
                           [index](const ptx::Operand& element) { return names(element, index); });
    return operand.kind == K::reg && operand.index == index;
}

bool may_read_global(std::string_view opcode) {
    if (!opcode.starts_with("ld.") && !opcode.starts_with("ldu"))
        return false;
    for (std::string_view other : {".shared", ".local", ".param", ".const"})
        if (opcode.find(other) != std::string_view::npos)
            return false;
    return true;
}

} // namespace

bool comes_from_global(const Decoder& d, size_t i) {
    const ptx::Operand& data = d.operand(i);
    const auto& body = const_cast<Decoder&>(d).function().function->body;
    const auto loaded = [&](const ptx::Operand& one) {
        return one.kind == K::reg && std::any_of(body.begin(), body.end(), [&](const ptx::Instruction& instruction) {
                   return may_read_global(instruction.opcode) && !instruction.operands.empty() &&
                          names(instruction.operands[0], one.index);
               });
    };
    if (data.kind != K::vector)
        return loaded(data);
    return std::any_of(data.elements.begin(), data.elements.end(), loaded);
}

} // namespace sim::instructions
