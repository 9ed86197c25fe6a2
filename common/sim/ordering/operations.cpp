#include "sim/ordering/operations.h"

#include <algorithm>

namespace sim::hazards {
namespace {

constexpr size_t operations_kept = 65536;

} // namespace

void Operations::begin(events::OperationId id, const events::Order& order, uint64_t blocks, std::string what) {
    base_ = next_;
    order_ = order;
    if (known_.size() > operations_kept)
        known_.erase(known_.begin(), known_.begin() + operations_kept / 2);
    known_.push_back({id, base_, blocks, std::move(what)});
    next_ += blocks;
}

void Operations::begin_unrecorded(const events::Order& order) {
    base_ = next_;
    order_ = order;
}

void Operations::forget_all() {
    next_ = 1;
    known_.clear();
}

const Operation* Operations::of_block(uint64_t block) const {
    auto it = std::upper_bound(known_.begin(), known_.end(), block,
                               [](uint64_t b, const Operation& operation) { return b < operation.base; });
    return it == known_.begin() ? nullptr : &*std::prev(it);
}

bool Operations::ordered(uint64_t block) const {
    if (all_ordered())
        return true;
    const Operation* operation = of_block(block);
    if (!operation) {
        lost_track_ = true;
        return true;
    }
    return !std::ranges::binary_search(order_.unordered, operation->id) &&
           !std::ranges::binary_search(order_.until_wait, operation->id);
}

bool Operations::until_wait(uint64_t block) const {
    if (order_.until_wait.empty() || block >= base_)
        return false;
    const Operation* operation = of_block(block);
    return operation && std::ranges::binary_search(order_.until_wait, operation->id);
}

uint64_t Operations::first_block_since(events::OperationId since) const {
    auto it = std::lower_bound(known_.begin(), known_.end(), since,
                               [](const Operation& operation, events::OperationId id) { return operation.id < id; });
    return it == known_.end() ? UINT64_MAX : it->base;
}

} // namespace sim::hazards
