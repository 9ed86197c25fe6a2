// Pending's part for words of which nothing has written some bytes.
#include <algorithm>

#include "sim/machine/pending.h"
#include "sim/machine/program.h"

namespace sim::machine {

void Pending::mark_partial(const Frame* frame, OperandRef reg, uint32_t mask, const std::array<uint32_t, 32>& report,
                           const std::array<Bytes, 32>& missing) {
    auto known = std::find_if(partial_.begin(), partial_.end(),
                              [&](const Partial& one) { return one.frame == frame && one.reg == reg; });
    if (known == partial_.end()) {
        partial_.push_back({{frame, reg, 0, {}}, {}, 0});
        known = std::prev(partial_.end());
    }
    known->mask |= mask;
    known->computed &= ~mask;
    for (size_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) {
            known->report[lane] = report[lane];
            known->missing[lane] = missing[lane];
        }
    changed();
}

/// What one instruction does to partly written values.
class Pending::PartialStep {
  public:
    PartialStep(Pending& pending, const Frame* frame, const DecodedFunction& function, const Op& op, uint32_t mask,
                uint32_t select_mask)
        : pending_(pending), frame_(frame), function_(function), op_(op), mask_(mask), select_mask_(select_mask) {}

    void read_operands() {
        const auto& operands = op_.source->operands;
        for (size_t i = 0; i < operands.size(); ++i) {
            if (operands[i].kind == ptx::Operand::Kind::reg)
                read(operands[i], i, 0);
            for (size_t j = 0; operands[i].kind == ptx::Operand::Kind::vector && j < operands[i].elements.size(); ++j)
                if (operands[i].elements[j].kind == ptx::Operand::Kind::reg)
                    read(operands[i].elements[j], i, j);
        }
    }

    std::vector<Partial> partial; ///< results
    uint32_t whole = 0;           ///< lanes whose results depend on all bytes
    std::array<uint32_t, 32> report{};
    std::vector<uint32_t> due;

  private:
    void read(const ptx::Operand& operand, size_t number, size_t element) {
        const OperandRef reg = function_.registers[operand.index];
        const auto value = std::find_if(pending_.partial_.begin(), pending_.partial_.end(),
                                        [&](const Partial& one) { return one.frame == frame_ && one.reg == reg; });
        if (value == pending_.partial_.end())
            return;
        uint32_t lanes = value->mask & mask_;
        if (op_.use == Use::select && number == 1)
            lanes &= select_mask_;
        else if (op_.use == Use::select && number == 2)
            lanes &= ~select_mask_;
        if (op_.does(effect::stores))
            lanes &= value->computed;
        else if (number == 0 && !op_.does(effect::copies)) // written, unless it is no result
            lanes = writes(reg) ? 0 : lanes;
        if (op_.does(effect::copies | effect::calls))
            return;
        for (size_t lane = 0; lane < 32; ++lane)
            if (lanes >> lane & 1)
                read_lane(*value, lane, number, element);
    }

    bool writes(OperandRef reg) const {
        const auto& to = op_.source->operands[0];
        return to.kind == ptx::Operand::Kind::reg ? function_.registers[to.index] == reg : !to.elements.empty();
    }

    void read_lane(const Partial& value, size_t lane, size_t number, size_t element) {
        if (op_.use == Use::exchange)
            return;
        if (op_.use == Use::sink) {
            due.push_back(value.report[lane]);
            return;
        }
        const auto& to = op_.source->operands[0];
        const size_t results = to.kind == ptx::Operand::Kind::vector ? to.elements.size() : 1;
        for (size_t i = 0; i < results; ++i) {
            const auto result = carried(*op_.source, number, element, i, value.missing[lane]);
            if (!result) {
                whole |= 1u << lane;
                report[lane] = value.report[lane];
                return;
            }
            const ptx::Operand& reg = to.kind == ptx::Operand::Kind::vector ? to.elements[i] : to;
            if (result->missing && reg.kind == ptx::Operand::Kind::reg)
                add(function_.registers[reg.index], lane, value, *result);
        }
    }

    void add(OperandRef reg, size_t lane, const Partial& from, const Carried& result) {
        auto known = std::find_if(partial.begin(), partial.end(), [&](const Partial& one) { return one.reg == reg; });
        if (known == partial.end()) {
            partial.push_back({{frame_, reg, 0, {}}, {}, 0});
            known = std::prev(partial.end());
        }
        known->mask |= 1u << lane;
        known->report[lane] = from.report[lane];
        known->missing[lane] |= result.missing;
        if (result.computed || from.computed >> lane & 1)
            known->computed |= 1u << lane;
    }

    Pending& pending_;
    const Frame* frame_;
    const DecodedFunction& function_;
    const Op& op_;
    uint32_t mask_, select_mask_;
};

void Pending::step_partial(const Frame* frame, const DecodedFunction& function, const Op& op,
                           const std::vector<OperandRef>& writes, uint32_t mask, uint32_t select_mask,
                           std::vector<uint32_t>& due) {
    if (!op.source)
        return;
    PartialStep step(*this, frame, function, op, mask, select_mask);
    step.read_operands();
    for (Partial& one : partial_)
        if (one.frame == frame && std::find(writes.begin(), writes.end(), one.reg) != writes.end())
            one.mask &= ~mask;
    std::erase_if(partial_, [](const Partial& one) { return !one.mask; });
    for (const Partial& one : step.partial) {
        mark_partial(frame, one.reg, one.mask, one.report, one.missing);
        for (Partial& known : partial_)
            if (known.frame == frame && known.reg == one.reg)
                known.computed |= one.computed;
    }
    if (step.whole)
        for (const OperandRef reg : writes)
            mark(frame, reg, step.whole, step.report);
    if (!step.due.empty()) {
        std::sort(step.due.begin(), step.due.end());
        drop(step.due);
        due.insert(due.end(), step.due.begin(), step.due.end());
        std::sort(due.begin(), due.end());
        due.erase(std::unique(due.begin(), due.end()), due.end());
    }
    changed();
}

} // namespace sim::machine
