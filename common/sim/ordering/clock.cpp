#include "sim/ordering/clock.h"

#include <algorithm>

namespace sim::hazards {

bool covers(const ClockRef& clock, Epoch e) {
    const Chunk* chunk = clock ? clock->chunk(block_of(e)) : nullptr;
    const Plane plane = kind_of(e) == EpochKind::copy ? Plane::copies : Plane::generic;
    return chunk && chunk->at(plane, warp_of(e), lane_of(e)) >= tick_of(e);
}

void ClockBuilder::join(const ClockRef& clock) {
    if (!clock || clock == last_)
        return;
    last_ = clock;
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
    last_.reset();
    return clock;
}

namespace {

/// Is everything that `less` knows known to `more`?
bool covers(const Clock& more, const Clock& less) {
    auto it = more.entries().begin(); // both are sorted
    for (const auto& entry : less.entries()) {
        it = std::find_if(it, more.entries().end(), [&](const auto& e) { return e.block >= entry.block; });
        if (it == more.entries().end() || it->block != entry.block ||
            (it->chunk != entry.chunk && it->chunk->compare(*entry.chunk) != Chunk::Order::covers))
            return false;
    }
    return true;
}

} // namespace

ClockRef joined(const ClockRef& mine, const ClockRef& other) {
    if (!mine || covers(*other, *mine))
        return other;
    if (covers(*mine, *other))
        return mine;
    ClockBuilder builder;
    builder.join(mine);
    builder.join(other);
    return builder.take();
}

} // namespace sim::hazards
