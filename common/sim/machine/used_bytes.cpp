// Loads of which only some bytes are used: nvcc may load three floats with `ld.v4` and ignore the fourth, so the fourth
// is not judged. And atomic operations whose old value is unused.
#include "sim/machine/instruction.h"
#include "sim/machine/program.h"

#include <algorithm>
#include <optional>

namespace sim::machine {
namespace {

using Kind = ptx::Operand::Kind;

bool mentions(const ptx::Operand& operand, uint32_t reg) {
    return (operand.kind == Kind::reg && operand.index == reg) ||
           std::ranges::any_of(operand.elements, [&](const auto& element) { return mentions(element, reg); });
}

class Liveness {
  public:
    explicit Liveness(const DecodedFunction& function)
        : function_(function), mentions_(function.function->code().registers.size()) {
        for (const ptx::Instruction& instruction : function.function->body()) {
            if (instruction.guard >= 0)
                mentions_[size_t(instruction.guard)]++;
            for (const auto* list : {&instruction.operands, &instruction.call_returns, &instruction.call_args})
                for (const ptx::Operand& operand : *list)
                    count(operand);
        }
    }

    /// May the value that instruction `pc` writes to `reg` be read?
    bool is_read(uint32_t pc, uint32_t reg) const {
        if (mentions_[reg] == 1)
            return false;
        constexpr size_t most_steps = 2000; // a load whose value is not used soon may count as used
        std::vector<uint32_t> open{pc + 1};
        std::vector<bool> seen(function_.ops.size());
        for (size_t steps = 0; !open.empty(); ++steps) {
            const uint32_t at = open.back();
            open.pop_back();
            if (seen[at] || at >= function_.function->body().size())
                continue;
            seen[at] = true;
            const ptx::Instruction& instruction = function_.function->body()[at];
            if (steps == most_steps || reads(at, reg))
                return true;
            if (instruction.guard < 0 && writes(at, reg))
                continue;
            if (!follow(at, open))
                return true;
        }
        return false;
    }
    /// May `destination`, or one of its elements, be read later?
    bool is_used(uint32_t pc, const ptx::Operand& destination) const {
        return (destination.kind == Kind::reg && is_read(pc, destination.index)) ||
               std::ranges::any_of(destination.elements, [&](const auto& element) { return is_used(pc, element); });
    }

  private:
    void count(const ptx::Operand& operand) {
        if (operand.kind == Kind::reg)
            mentions_[operand.index]++;
        for (const ptx::Operand& element : operand.elements)
            count(element);
    }
    bool writes(uint32_t pc, uint32_t reg) const {
        return std::ranges::count(function_.writes[pc], function_.registers[reg]) &&
               !std::ranges::count(function_.reads[pc], function_.registers[reg]);
    }
    bool reads(uint32_t pc, uint32_t reg) const {
        const ptx::Instruction& instruction = function_.function->body()[pc];
        if (instruction.guard == int32_t(reg))
            return true;
        for (size_t i = 0; i < instruction.operands.size(); ++i)
            if (mentions(instruction.operands[i], reg) && (i > 0 || !writes(pc, reg)))
                return true;
        for (const auto* list : {&instruction.call_returns, &instruction.call_args})
            if (std::ranges::any_of(*list, [&](const auto& operand) { return mentions(operand, reg); }))
                return true;
        return false;
    }
    /// Adds the instructions that may be executed after `pc`. False: they are not known here.
    bool follow(uint32_t pc, std::vector<uint32_t>& open) const {
        const Op& op = function_.ops[pc];
        if (op.does(effect::branches)) {
            if (op.extra)
                return false;
            open.push_back(uint32_t(op.imm));
        }
        if (!op.does(effect::branches | effect::ends_thread) || function_.function->body()[pc].guard >= 0)
            open.push_back(pc + 1);
        return true;
    }

    const DecodedFunction& function_;
    std::vector<uint32_t> mentions_; ///< by register, in the whole function
};

} // namespace

std::vector<uint32_t> used_bytes(const DecodedFunction& function) {
    std::vector<uint32_t> result(function.ops.size());
    std::optional<Liveness> liveness;
    for (uint32_t pc = 0; pc < function.function->body().size(); ++pc) {
        const ptx::Instruction& instruction = function.function->body()[pc];
        if (!function.ops[pc].loads_by_lane() || instruction.operands.empty() || function.writes[pc].empty())
            continue;
        const ptx::Operand& data = instruction.operands[0];
        const uint32_t bytes = function.ops[pc].width;
        const uint32_t all = bytes < 32 ? (1u << bytes) - 1 : ~0u;
        uint32_t used = instruction.used_bytes ? instruction.used_bytes & all : all;
        if (!data.elements.empty()) {
            if (!liveness)
                liveness.emplace(function);
            const uint32_t each = bytes / uint32_t(data.elements.size());
            for (uint32_t i = 0; i < data.elements.size(); ++i)
                if (!liveness->is_used(pc, data.elements[i]))
                    used &= ~(((1u << each) - 1) << i * each);
        }
        if (used != all)
            result[pc] = used; // 0, where nothing is used: the whole is judged
    }
    return result;
}

std::vector<bool> blind_atomics(const DecodedFunction& function) {
    std::vector<bool> result(function.ops.size());
    std::optional<Liveness> liveness;
    for (uint32_t pc = 0; pc < function.function->body().size(); ++pc) {
        if (!function.ops[pc].does(effect::atomic))
            continue;
        if (!liveness)
            liveness.emplace(function);
        result[pc] =
            function.writes[pc].empty() || !liveness->is_used(pc, function.function->body()[pc].operands.at(0));
    }
    return result;
}

} // namespace sim::machine
