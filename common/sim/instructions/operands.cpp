#include "sim/instructions/operands.h"

#include <fmt/format.h>

namespace sim::instructions {

Type last_type(const Decoder& d) {
    std::string_view rest = d.source.opcode;
    for (auto dot = rest.rfind('.'); dot != std::string_view::npos; dot = rest.rfind('.')) {
        if (auto type = ptx::type_named(rest.substr(dot)))
            return *type;
        rest = rest.substr(0, dot);
    }
    d.fail(fmt::format("'{}' names no type", d.source.opcode));
}

OperandRef destination(Decoder& d, const ptx::Operand& operand, uint32_t bytes) {
    const OperandRef ref = d.write(operand);
    if (!ref.exists())
        d.fail(fmt::format("{}: the destination cannot be '_'", d.source.opcode));
    if (const uint32_t have = d.register_bytes(operand, 0); have != bytes)
        d.fail(
            fmt::format("{}: the destination has {} bits where {} are needed", d.source.opcode, have * 8, bytes * 8));
    return ref;
}

OperandRef predicate_destination(Decoder& d, const ptx::Operand& operand) {
    const OperandRef ref = d.write(operand);
    if (ref.exists() && d.register_bytes(operand, 1) != 0)
        d.fail(fmt::format("{}: the destination must be a predicate", d.source.opcode));
    return ref;
}

void same_width(Decoder& d, uint32_t bytes) {
    d.op.d = destination(d, 0, bytes);
    OperandRef Op::*const sources[] = {&Op::a, &Op::b, &Op::c, &Op::e};
    for (size_t i = 1; i < d.operand_count() && i <= 4; ++i)
        d.op.*sources[i - 1] = d.read(i, bytes);
}

} // namespace sim::instructions
