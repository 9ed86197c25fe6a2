#include "sim/ptx/register_flow.h"

#include <algorithm>
#include <array>

namespace sim::ptx {
namespace {

constexpr std::array arithmetic{
    "abs",   "add",      "addc",  "and",   "bfe",  "bfi",   "bfind", "bmsk",  "brev",      "clz",  "cnot", "copysign",
    "cos",   "cvt",      "cvta",  "div",   "dp2a", "dp4a",  "ex2",   "fma",   "fns",       "lg2",  "lop3", "mad",
    "mad24", "madc",     "max",   "min",   "mul",  "mul24", "neg",   "not",   "or",        "popc", "prmt", "rcp",
    "rem",   "isspacep", "rsqrt", "sad",   "selp", "set",   "setp",  "shf",   "shl",       "shr",  "sin",  "slct",
    "sqrt",  "sub",      "subc",  "szext", "tanh", "xor",   "mapa",  "testp", "getctarank"};

/// Instructions whose first operand is not a destination.
constexpr std::array no_destination{"st",        "red",  "bar",      "barrier", "bra",       "brx",       "cp",
                                    "fence",     "ret",  "exit",     "membar",  "nanosleep", "trap",      "prefetch",
                                    "prefetchu", "call", "stmatrix", "wgmma",   "tensormap", "setmaxnreg"};

std::string_view mnemonic(const Instruction& instruction) {
    return std::string_view(instruction.opcode).substr(0, instruction.opcode.find('.'));
}

bool contains(const auto& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
}

template <class F>
void each_register(const Operand& operand, const F& f) {
    if (operand.kind == Operand::Kind::reg)
        f(operand.index);
    for (const Operand& element : operand.elements)
        each_register(element, f);
}

} // namespace

bool keeps_its_place(const Instruction& instruction) {
    const std::string_view name = mnemonic(instruction);
    if (name == "mov") // reading a clock
        return instruction.operands.size() == 2 && instruction.operands[1].kind == Operand::Kind::special &&
               (instruction.operands[1].text.starts_with("%clock") ||
                instruction.operands[1].text.starts_with("%globaltimer"));
    if (instruction.opcode.starts_with("ld.param") || instruction.opcode.starts_with("st.param"))
        return false;
    return !contains(arithmetic, name);
}

RegisterFlow::RegisterFlow(const Code& code, const std::function<bool(uint32_t)>& is_open)
    : code_(code), definition_(code.registers.size(), -1), open_uses_(code.registers.size(), 0) {
    for (uint32_t i = 0; i < code.body.size(); ++i) {
        const Instruction& instruction = code.body[i];
        const bool writes = !contains(no_destination, mnemonic(instruction)) && !instruction.operands.empty() &&
                            instruction.operands[0].kind != Operand::Kind::address;
        if (writes)
            each_register(instruction.operands[0],
                          [&](uint32_t reg) { definition_[reg] = definition_[reg] == -1 ? int64_t{i} : -2; });
        if (is_open(i) && keeps_its_place(instruction))
            for (size_t o = writes; o < instruction.operands.size(); ++o)
                each_register(instruction.operands[o], [&](uint32_t reg) { ++open_uses_[reg]; });
    }
}

std::vector<uint32_t> RegisterFlow::definitions(uint32_t index) const {
    std::vector<uint32_t> result;
    const auto note = [&](uint32_t reg) {
        if (definition_[reg] < 0 || definition_[reg] == int64_t{index} || open_uses_[reg] != 1)
            return;
        const std::string_view name = mnemonic(code_.body[definition_[reg]]);
        if (name != "mov" && name != "cvta") // constants and base addresses are made once, for all that need them
            result.push_back(static_cast<uint32_t>(definition_[reg]));
    };
    for (const Operand& operand : code_.body[index].operands)
        each_register(operand, note);
    return result;
}

void RegisterFlow::note_origins(const Operand& operand, int depth, int& budget, std::vector<uint64_t>& origins) const {
    if (--budget < 0)
        return;
    if (operand.kind == Operand::Kind::variable) {
        origins.push_back(reinterpret_cast<uintptr_t>(operand.variable));
    } else if (operand.kind == Operand::Kind::param) {
        origins.push_back(operand.index * 4u + operand.is_return * 2u + operand.is_call_param);
    } else if (operand.kind == Operand::Kind::reg && depth > 0 && definition_[operand.index] >= 0) {
        const auto& operands = code_.body[definition_[operand.index]].operands;
        for (size_t i = 1; i < operands.size(); ++i)
            note_origins(operands[i], depth - 1, budget, origins);
    }
    for (const Operand& element : operand.elements)
        note_origins(element, depth, budget, origins);
}

const std::vector<uint64_t>& RegisterFlow::origins(uint32_t index) const {
    constexpr int most_steps = 12;
    const auto [known, fresh] = origins_.try_emplace(index);
    std::vector<uint64_t>& result = known->second;
    if (!fresh)
        return result;
    for (const Operand& operand : code_.body[index].operands) {
        int budget = 200;
        note_origins(operand, most_steps, budget, result);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

} // namespace sim::ptx
