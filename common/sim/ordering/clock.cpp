#include "sim/ordering/clock.h"

#include <algorithm>

namespace sim::hazards {

bool covers(const ClockRef& clock, Epoch e) {
    const Chunk* chunk = clock ? clock->chunk(block_of(e)) : nullptr;
    const Plane plane = kind_of(e) == EpochKind::copy ? Plane::copies : Plane::generic;
    return chunk && chunk->at(plane, warp_of(e), lane_of(e)) >= tick_of(e);
}

void ClockBuilder::join(const ClockRef& clock) {
    if (!clock || clock == last_[0] || clock == last_[1])
        return;
    last_ = {clock, std::move(last_[0])};
    auto it = entries_.begin(); // both are sorted
    for (const auto& entry : clock->entries()) {
        while (it != entries_.end() && it->block < entry.block)
            ++it;
        if (it == entries_.end() || it->block != entry.block)
            it = entries_.insert(it, {entry.block, entry.chunk, nullptr});
        else if (it->chunk != entry.chunk)
            join(*it, entry.chunk);
    }
}

/// Mostly one of the two knows more: then it is shared.
void ClockBuilder::join(Entry& entry, const std::shared_ptr<const Chunk>& chunk) {
    switch (chunk->compare(*entry.chunk)) {
    case Chunk::Order::covers:
        entry = {entry.block, chunk, nullptr};
        break;
    case Chunk::Order::covered:
        break;
    case Chunk::Order::neither:
        if (!entry.mine) {
            entry.mine = std::make_shared<Chunk>(*entry.chunk);
            entry.chunk = entry.mine;
        }
        entry.mine->join(*chunk);
    }
}

Chunk& ClockBuilder::own(uint64_t block, uint32_t warps) {
    auto it = std::lower_bound(entries_.begin(), entries_.end(), block,
                               [](const Entry& e, uint64_t b) { return e.block < b; });
    if (it == entries_.end() || it->block != block) {
        auto chunk = std::make_shared<Chunk>(warps);
        it = entries_.insert(it, {block, chunk, chunk});
    } else if (!it->mine) {
        it->mine = std::make_shared<Chunk>(*it->chunk);
        it->chunk = it->mine;
    }
    return *it->mine;
}

ClockRef ClockBuilder::snapshot() {
    auto clock = std::make_shared<Clock>();
    clock->entries_.reserve(entries_.size());
    for (auto& entry : entries_) {
        clock->entries_.push_back({entry.block, entry.chunk});
        entry.mine.reset(); // shared from now on
    }
    return clock;
}

ClockRef ClockBuilder::take() {
    ClockRef clock = snapshot();
    entries_.clear();
    last_ = {};
    return clock;
}

/// A chunk of which one of the two knows more is shared.
ClockRef joined(const ClockRef& mine, const ClockRef& other) {
    if (!mine || mine == other)
        return other;
    std::vector<Clock::Entry> both;
    both.reserve(mine->entries_.size() + other->entries_.size());
    bool mine_is_all = true, other_is_all = true;
    auto a = mine->entries_.begin(), b = other->entries_.begin(); // both are sorted
    while (a != mine->entries_.end() || b != other->entries_.end()) {
        if (b == other->entries_.end() || (a != mine->entries_.end() && a->block < b->block)) {
            other_is_all = false;
            both.push_back(*a++);
            continue;
        }
        if (a == mine->entries_.end() || b->block < a->block) {
            mine_is_all = false;
            both.push_back(*b++);
            continue;
        }
        const auto order = a->chunk == b->chunk ? Chunk::Order::covers : b->chunk->compare(*a->chunk);
        mine_is_all = mine_is_all && (a->chunk == b->chunk || order == Chunk::Order::covered);
        other_is_all = other_is_all && order == Chunk::Order::covers;
        both.push_back(order == Chunk::Order::covered ? *a : *b);
        if (order == Chunk::Order::neither) {
            auto chunk = std::make_shared<Chunk>(*a->chunk);
            chunk->join(*b->chunk);
            both.back().chunk = std::move(chunk);
        }
        ++a, ++b;
    }
    if (other_is_all)
        return other;
    if (mine_is_all)
        return mine;
    auto clock = std::make_shared<Clock>();
    clock->entries_ = std::move(both);
    return clock;
}

} // namespace sim::hazards
