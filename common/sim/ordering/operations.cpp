#include "sim/ordering/operations.h"

#include <algorithm>
#include <iterator>

namespace sim::hazards {
namespace {

constexpr size_t operations_kept = 65536;

} // namespace

bool Operation::after(const Operation& earlier, bool waited) const {
    return earlier.id <= id && (!order || (!std::ranges::binary_search(order->unordered, earlier.id) &&
                                           (waited || !std::ranges::binary_search(order->until_wait, earlier.id))));
}

bool Operation::staged_after(const Operation& earlier) const {
    return order && std::ranges::binary_search(order->staged, earlier.id);
}

bool Operation::let_in_after(const Operation& earlier) const {
    return order && std::ranges::binary_search(order->passed_on, earlier.id);
}

std::vector<events::LostWait> Operation::lost_waits(const Operation& earlier) const {
    std::vector<events::LostWait> found;
    if (order)
        std::copy_if(order->lost_waits.begin(), order->lost_waits.end(), std::back_inserter(found),
                     [&](const events::LostWait& lost) { return lost.id == earlier.id; });
    return found;
}

namespace {

std::shared_ptr<const events::Order> kept(const events::Order& order) {
    const bool all = order.unordered.empty() && order.until_wait.empty();
    return all ? nullptr : std::make_shared<const events::Order>(order);
}

} // namespace

void Operations::begin(events::OperationId id, const events::Order& order, uint64_t blocks, std::string what) {
    if (known_.size() > operations_kept)
        known_.erase(known_.begin(), known_.begin() + operations_kept / 2);
    current_ = {id, next_, blocks, std::move(what), kept(order), order.site, order.by_host};
    known_.push_back(current_);
    next_ += blocks;
}

void Operations::forget_all() {
    next_ = 1;
    known_.clear();
}

void Operations::forget_orders() {
    size_t without = 0; // in a row: most launches have none, and earlier ones have been forgotten before
    for (auto it = known_.rbegin(); it != known_.rend() && without < 256; ++it) {
        without = it->order ? 0 : without + 1;
        it->order = nullptr;
    }
}

const Operation* Operations::of_block(uint64_t block) const {
    auto it = std::upper_bound(known_.begin(), known_.end(), block,
                               [](uint64_t b, const Operation& operation) { return b < operation.base; });
    return it == known_.begin() ? nullptr : &*std::prev(it);
}

bool Operations::ordered(uint64_t block) const {
    if (own(block))
        return false;
    if (!current_.order && block < current_.base)
        return true;
    const Operation* operation = of_block(block);
    if (!operation) {
        lost_track_ = true;
        return true;
    }
    return current_.after(*operation, false);
}

bool Operations::until_wait(uint64_t block) const {
    if (!any_until_wait() || own(block))
        return false;
    const Operation* operation = of_block(block);
    return operation && std::ranges::binary_search(current_.order->until_wait, operation->id);
}

uint64_t Operations::first_block_since(events::OperationId since) const {
    auto it = std::lower_bound(known_.begin(), known_.end(), since,
                               [](const Operation& operation, events::OperationId id) { return operation.id < id; });
    return it == known_.end() ? UINT64_MAX : it->base;
}

} // namespace sim::hazards
