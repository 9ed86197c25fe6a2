#include "sim/machine/pending.h"

#include <algorithm>

namespace sim::machine {

Pending::Value* Pending::find(const Frame* frame, OperandRef reg) {
    for (auto& value : values_)
        if (value.frame == frame && value.reg == reg)
            return &value;
    return nullptr;
}

void Pending::clear(const Frame* frame, OperandRef reg, uint32_t mask) {
    for (size_t i = 0; i < values_.size(); ++i)
        if (values_[i].frame == frame && values_[i].reg == reg) {
            values_[i].mask &= ~mask;
            if (!values_[i].mask)
                values_.erase(values_.begin() + long(i));
            return;
        }
}

void Pending::mark(const Frame* frame, OperandRef reg, uint32_t mask, const std::array<uint32_t, 32>& report) {
    Value* value = find(frame, reg);
    if (!value) {
        values_.push_back({frame, reg, 0, {}});
        value = &values_.back();
    }
    value->mask |= mask;
    for (int lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1)
            value->report[size_t(lane)] = report[size_t(lane)];
    changed();
}

void Pending::exchange(const Frame* frame, OperandRef value, OperandRef to, const std::vector<OperandRef>& writes,
                       uint32_t mask, const uint32_t* from) {
    std::array<uint32_t, 32> moved{};
    uint32_t moved_mask = 0;
    if (const Value* held = find(frame, value))
        for (uint32_t lane = 0; lane < 32; ++lane)
            if ((mask >> lane & 1) && (held->mask >> from[lane] & 1)) {
                moved[lane] = held->report[from[lane]];
                moved_mask |= 1u << lane;
            }
    for (const OperandRef reg : writes)
        clear(frame, reg, mask);
    if (moved_mask && to.exists())
        mark(frame, to, moved_mask, moved);
}

void Pending::forget(const Frame* frame) {
    std::erase_if(values_, [frame](const Value& value) { return value.frame == frame; });
    std::erase_if(partial_, [frame](const Value& value) { return value.frame == frame; });
    changed();
}

void Pending::step(const Frame* frame, const Op& op, const std::vector<OperandRef>& reads,
                   const std::vector<OperandRef>& writes, uint32_t mask, uint32_t select_mask,
                   std::vector<uint32_t>& due) {
    std::array<uint32_t, 32> moved{};
    uint32_t moved_mask = 0;
    const bool exchanges = op.use == Use::exchange;
    for (const OperandRef reg : reads) {
        const Value* value = find(frame, reg);
        if (!value || (exchanges && reg == op.a))
            continue;
        uint32_t used = value->mask & mask;
        const bool has_first = op.use == Use::where || op.use == Use::unless;
        if (op.use == Use::select && reg == op.a && !(reg == op.b))
            used &= select_mask;
        else if (has_first && reg == op.b && !(reg == op.a))
            used &= select_mask;
        else if (op.use == Use::select && reg == op.b && !(reg == op.a))
            used &= ~select_mask;
        for (int lane = 0; lane < 32; ++lane)
            if (used >> lane & 1) {
                moved[size_t(lane)] = value->report[size_t(lane)];
                if (op.use == Use::sink || exchanges)
                    due.push_back(value->report[size_t(lane)]);
            }
        moved_mask |= used;
    }
    if (!exchanges)
        for (const OperandRef reg : writes)
            clear(frame, reg, mask);
    if (op.use != Use::sink && !exchanges && moved_mask)
        for (const OperandRef reg : writes)
            mark(frame, reg, moved_mask, moved);
    if (!due.empty()) {
        std::sort(due.begin(), due.end());
        due.erase(std::unique(due.begin(), due.end()), due.end());
        drop(due);
    }
    changed();
}

/// Forgets the values of these reports (sorted), which are being made.
void Pending::drop(const std::vector<uint32_t>& reports) {
    const auto is_gone = [&](Value& value) {
        for (int lane = 0; lane < 32; ++lane)
            if ((value.mask >> lane & 1) &&
                std::binary_search(reports.begin(), reports.end(), value.report[size_t(lane)]))
                value.mask &= ~(1u << lane);
        return value.mask == 0;
    };
    std::erase_if(values_, is_gone);
    std::erase_if(partial_, is_gone);
}

} // namespace sim::machine
