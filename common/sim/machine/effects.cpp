#include "sim/machine/instruction.h"

namespace sim::machine {

bool has_modifier(std::string_view opcode, std::string_view modifier) {
    const auto at = opcode.find(modifier);
    const auto end = at + modifier.size();
    return at != std::string_view::npos && (modifier.empty() || end == opcode.size() || opcode[end] == '.');
}

uint32_t effects_of(const Instruction& record, std::string_view opcode) {
    uint32_t all = 0;
    for (const Effects& effects : record.effects)
        if (has_modifier(opcode, effects.form))
            all |= effects.what;
    return all;
}

} // namespace sim::machine
