#include "sim/instructions/address_value.h"

namespace sim::instructions {

OperandRef read_address(Decoder& d, size_t i, uint32_t bytes, LateAddress& late) {
    using K = ptx::Operand::Kind;
    const ptx::Operand& operand = d.operand(i);
    const auto offset = uint64_t(operand.offset);
    if (operand.kind == K::variable && operand.variable->space == Space::local) {
        late = {Space::local, offset + d.function().local_offsets.at(operand.variable)};
        return {};
    }
    if (operand.kind == K::variable && operand.variable->space == Space::shared && d.own_addresses() &&
        !(operand.variable->dynamic && !d.function().function->is_entry)) {
        late = {Space::shared, d.shared_offset(operand)};
        return {};
    }
    if (operand.kind == K::param) {
        const ptx::Function& function = *d.function().function;
        if (!function.is_entry || operand.is_return || operand.is_call_param)
            d.fail("taking the address of a device function's parameter is not implemented");
        late = {Space::param, offset + function.params.at(operand.index).offset};
        return {};
    }
    return d.read(operand, bytes);
}

} // namespace sim::instructions
