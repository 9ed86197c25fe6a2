// What becomes of loaded values, by the program's text: is a volatile load a poll?
#include <algorithm>

#include "sim/machine/instruction.h"
#include "sim/machine/program.h"

namespace sim::machine {
namespace {

bool is_among(OperandRef reg, const std::vector<OperandRef>& registers) {
    return std::ranges::find(registers, reg) != registers.end();
}

bool begins_with_one_of(const Op& op, std::initializer_list<std::string_view> names) {
    return op.source && std::ranges::any_of(names, [&](std::string_view name) {
               return std::string_view(op.source->opcode).starts_with(name);
           });
}

} // namespace

std::vector<bool> volatile_data(const DecodedFunction& function) {
    std::vector<bool> result(function.ops.size());
    for (size_t pc = 0; pc < function.ops.size(); ++pc) {
        if (!begins_with_one_of(function.ops[pc], {"ld.volatile"}))
            continue;
        std::vector<OperandRef> values = function.writes[pc];
        bool compared = false;
        for (size_t known = 0; known != values.size() && !compared;) {
            known = values.size();
            for (size_t at = 0; at < function.ops.size() && !compared; ++at) {
                if (std::ranges::none_of(function.reads[at], [&](OperandRef reg) { return is_among(reg, values); }))
                    continue;
                compared = begins_with_one_of(function.ops[at], {"setp", "set.", "slct"});
                for (const OperandRef to : function.writes[at])
                    if (!is_among(to, values))
                        values.push_back(to);
            }
        }
        result[pc] = !compared;
    }
    return result;
}

} // namespace sim::machine
