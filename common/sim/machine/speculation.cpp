// Loads that the compiler has moved in front of the condition they belonged to: `if (tid == 0) r = part[0];` becomes a
// load by every thread and a selp, and `if (tid == 0 && ready)` a load by every thread and an `and` of two predicates.
#include <algorithm>

#include "sim/machine/instruction.h"
#include "sim/machine/program.h"

namespace sim::machine {

std::vector<bool> speculated_loads(const DecodedFunction& function) {
    const size_t count = function.ops.size();
    std::vector<bool> result(count);
    auto selects = [&](const Op& op, OperandRef reg) {
        if (op.use == Use::where || op.use == Use::unless)
            return reg == op.b && !(reg == op.a);
        return op.use == Use::select && (reg == op.a || reg == op.b) && !(reg == op.c);
    };
    // Registers whose value has an effect whatever a selp chooses, or a first condition is.
    std::vector<bool> effective(function.frame_bytes / 4 + 1);
    const auto has_effect = [](const Op& op) { return op.use == Use::sink || op.use == Use::exchange; };
    auto slot = [&](OperandRef reg) {
        return reg.base() == OperandRef::frame ? reg.offset() / 4 : effective.size() - 1;
    };
    bool any = false;
    for (size_t pc = 0; pc < count; ++pc)
        any = any || (function.ops[pc].loads_by_lane() && !function.writes[pc].empty());
    if (!any)
        return result;
    for (size_t pc = 0; pc < count; ++pc) {
        for (OperandRef reg : function.address_reads[pc])
            effective[slot(reg)] = true;
        if (has_effect(function.ops[pc]))
            for (OperandRef reg : function.reads[pc])
                effective[slot(reg)] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t pc = count; pc-- > 0;) {
            const Op& op = function.ops[pc];
            const auto& writes = function.writes[pc];
            if (has_effect(op) ||
                std::none_of(writes.begin(), writes.end(), [&](OperandRef reg) { return effective[slot(reg)]; }))
                continue;
            for (OperandRef reg : function.reads[pc])
                if (!selects(op, reg) && !effective[slot(reg)]) {
                    effective[slot(reg)] = true;
                    changed = true;
                }
        }
    }
    for (size_t pc = 0; pc < count; ++pc)
        if (function.ops[pc].loads_by_lane())
            result[pc] = std::none_of(function.writes[pc].begin(), function.writes[pc].end(),
                                      [&](OperandRef reg) { return effective[slot(reg)]; });
    return result;
}

} // namespace sim::machine
