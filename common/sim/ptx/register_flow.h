// What an instruction's operands reveal about its origin. Private to this folder: see SourceMap.
#pragma once

#include "sim/ptx/module.h"

#include <functional>

namespace sim::ptx {

/// Whether the compiler keeps this instruction in order with others of its kind: it has effects, or is a branch.
/// Plain arithmetic moves about freely and says nothing about order.
bool keeps_its_place(const Instruction& instruction);

/// For instructions of which several lines are possible: where the registers were computed that only this one of them
/// reads. An address made for one call of an API carries that call's line.
class RegisterFlow {
  public:
    RegisterFlow(const Code& code, const std::function<bool(uint32_t)>& is_open);
    /// The instructions that define such registers of instruction `index`.
    std::vector<uint32_t> definitions(uint32_t index) const;
    /// The variables and parameters that the operands of instruction `index` are computed from, as sorted numbers. Two
    /// calls of one API mostly differ in these, and copies keep them.
    const std::vector<uint64_t>& origins(uint32_t index) const;

  private:
    const Code& code_;
    std::vector<int64_t> definition_; ///< by register: the one instruction that writes it; -1 none, -2 several
    std::vector<uint32_t> open_uses_; ///< by register: how many open instructions read it
    mutable std::map<uint32_t, std::vector<uint64_t>> origins_; ///< those already asked for
    void note_origins(const Operand& operand, int depth, int& budget, std::vector<uint64_t>& origins) const;
};

} // namespace sim::ptx
