// Reads opcodes, one a line, and writes for each whether the syntax of an instruction record takes it with any number
// of operands: "yes", or why not.
#include <iostream>
#include <string>

#include "sim/instructions/list.h"
#include "sim/machine/syntax.h"

namespace {

std::string answer(const std::string& opcode) {
    const auto* record = sim::instructions::find_instruction(opcode);
    if (!record)
        return "no such instruction";
    if (record->syntax.empty())
        return "refused by name";
    std::string why;
    for (size_t operands = 0; operands < 12; ++operands) {
        sim::machine::Form form;
        std::string here;
        if (sim::machine::match(record->syntax, record->name, opcode, operands, form, here))
            return "yes";
        if (here.find("operands") == std::string::npos)
            why = here;
    }
    return why.empty() ? "no form" : why;
}

} // namespace

int main() {
    for (std::string opcode; std::getline(std::cin, opcode);)
        std::cout << answer(opcode) << "\n";
}
