#include "sim/protocol/replayer.h"

#include <algorithm>

#include "sim/machine/grid.h"

namespace sim::protocol {

Replayer::Replayer(std::shared_ptr<const events::ReplayedOrder> order)
    : order_(std::move(order)), taken_(order_->turns.size()), issued_(order_->turns.size()) {
    for (const auto& turn : order_->turns)
        if (turn.landing_of == UINT32_MAX)
            ++left_[key(turn.block, turn.warp)].times[turn.pc];
}

void Replayer::skip_taken() {
    while (next_ < taken_.size() && taken_[next_])
        ++next_;
}

bool Replayer::may_run(const machine::Warp& warp, uint32_t pc) {
    skip_taken();
    if (next_ == taken_.size() || warp.block.grid.id != order_->launch)
        return true;
    const auto left = left_.find(key(warp.block.linear, warp.id));
    if (left == left_.end())
        return true; // a warp that takes no part
    if (left->second.times.empty())
        return false; // what follows is behind the end of the order
    const auto& turn = order_->turns[next_];
    return turn.landing_of == UINT32_MAX && turn.block == warp.block.linear && turn.warp == warp.id && turn.pc == pc;
}

uint64_t Replayer::add(machine::Warp& warp, uint32_t, const events::BarrierOperation& operation) {
    using Kind = events::BarrierOperation::Kind;
    const uint64_t number = ++number_;
    if (operation.kind == Kind::poll || operation.kind == Kind::meet || operation.kind == Kind::exit ||
        warp.block.grid.id != order_->launch)
        return number;
    const auto left = left_.find(key(warp.block.linear, warp.id));
    if (left == left_.end())
        return number;
    const auto times = left->second.times.find(operation.pc);
    if (times == left->second.times.end())
        return number;
    // Its next turn is mostly the one that is due; the operations of one instruction come together.
    for (size_t i = next_; i < taken_.size(); ++i) {
        const auto& turn = order_->turns[i];
        if (taken_[i] || turn.landing_of != UINT32_MAX || turn.block != warp.block.linear || turn.warp != warp.id ||
            turn.pc != operation.pc)
            continue;
        taken_[i] = 1;
        issued_[i] = number;
        if (turn.held)
            held_.insert(number);
        if (--times->second == 0)
            left->second.times.erase(times);
        break;
    }
    skip_taken();
    return number;
}

std::optional<uint64_t> Replayer::lands(const machine::Block& block) {
    skip_taken();
    if (next_ == taken_.size())
        return std::nullopt;
    const auto& turn = order_->turns[next_];
    if (turn.landing_of == UINT32_MAX || turn.block != block.linear || block.grid.id != order_->launch)
        return std::nullopt;
    taken_[next_] = 1;
    const uint64_t due = issued_[turn.landing_of];
    held_.erase(due);
    return due ? std::optional(due) : std::nullopt;
}

} // namespace sim::protocol
