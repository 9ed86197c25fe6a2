#include "sim/ordering/clock.h"

#include <algorithm>

namespace sim::hazards {
namespace {

template <class V, class K>
auto lower(V& sorted, K key) {
    return std::lower_bound(sorted.begin(), sorted.end(), key, [](const auto& entry, K k) { return entry.first < k; });
}

} // namespace

const Lanes* Chunk::find(uint32_t slot) const {
    auto it = lower(details_, slot);
    return it != details_.end() && it->first == slot ? &it->second : nullptr;
}

Lanes& Chunk::detail(uint32_t slot) {
    auto it = lower(details_, slot);
    if (it == details_.end() || it->first != slot) {
        Lanes lanes;
        lanes.fill(uniform_[slot]);
        it = details_.insert(it, {slot, lanes});
        detailed_ = true;
    }
    return it->second;
}

void Chunk::raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, const Lanes& values) {
    const uint32_t slot = uint32_t(plane) * warps_ + warp;
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1) {
            low = std::min(low, values[lane]);
            high = std::max(high, values[lane]);
        }
    const bool has_detail = detailed_ && find(slot);
    if (!has_detail && high <= uniform_[slot])
        return;
    if ((mask & population) == population && low == high) {
        if (!has_detail || [&] { // the detail is overtaken
                const Lanes* lanes = find(slot);
                return std::all_of(lanes->begin(), lanes->end(), [low](uint32_t v) { return v <= low; });
            }()) {
            uniform_[slot] = std::max(uniform_[slot], low);
            if (has_detail) {
                details_.erase(lower(details_, slot));
                detailed_ = !details_.empty();
            }
            return;
        }
    }
    Lanes& lanes = detail(slot);
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (mask >> lane & 1)
            lanes[lane] = std::max(lanes[lane], values[lane]);
}

void Chunk::raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, uint32_t value) {
    if (!detailed_ && (mask & population) == population) {
        uint32_t& known = uniform_[uint32_t(plane) * warps_ + warp];
        known = std::max(known, value);
        return;
    }
    Lanes lanes;
    lanes.fill(value);
    raise(plane, warp, mask, population, lanes);
}

namespace {

void raise_all(Lanes& lanes, const Lanes& by) {
    for (size_t lane = 0; lane < 32; ++lane)
        lanes[lane] = std::max(lanes[lane], by[lane]);
}
void raise_all(Lanes& lanes, uint32_t by) {
    for (auto& value : lanes)
        value = std::max(value, by);
}
bool reach(const Lanes& lanes, const Lanes& least) {
    uint32_t less = 0; // a bool would be looked at lane by lane
    for (size_t lane = 0; lane < 32; ++lane)
        less |= uint32_t(lanes[lane] < least[lane]);
    return !less;
}
bool reach(const Lanes& lanes, uint32_t least) {
    uint32_t less = 0;
    for (const uint32_t value : lanes)
        less |= uint32_t(value < least);
    return !less;
}
bool stay_below(const Lanes& lanes, uint32_t most) {
    uint32_t more = 0;
    for (const uint32_t value : lanes)
        more |= uint32_t(value > most);
    return !more;
}

} // namespace

/// Both lists are sorted: one pass over them.
void Chunk::join_details(const Chunk& other) {
    std::vector<Detail> joined;
    joined.reserve(details_.size() + other.details_.size());
    auto mine = details_.begin();
    auto its = other.details_.begin();
    while (mine != details_.end() || its != other.details_.end()) {
        if (its == other.details_.end() || (mine != details_.end() && mine->first < its->first)) {
            joined.push_back(*mine++);
            raise_all(joined.back().second, other.uniform_[joined.back().first]);
        } else if (mine == details_.end() || its->first < mine->first) {
            joined.push_back(*its++);
            raise_all(joined.back().second, uniform_[joined.back().first]);
        } else {
            joined.push_back(*mine++);
            raise_all(joined.back().second, (its++)->second);
        }
    }
    details_ = std::move(joined);
    detailed_ = !details_.empty();
}

void Chunk::join(const Chunk& other) {
    if (detailed_ || other.detailed_)
        join_details(other);
    for (size_t i = 0; i < uniform_.size(); ++i)
        uniform_[i] = std::max(uniform_[i], other.uniform_[i]);
    auto mine = phases_.begin();
    for (const auto& phase : other.phases_) {
        mine = std::find_if(mine, phases_.end(), [&](const auto& one) { return one.first >= phase.first; });
        if (mine == phases_.end() || mine->first != phase.first)
            mine = phases_.insert(mine, phase);
        else
            mine->second = std::max(mine->second, phase.second);
    }
}

bool Chunk::covers(const Chunk& other) const {
    uint32_t less = 0; // of one number for all lanes
    for (size_t i = 0; i < uniform_.size(); ++i)
        less |= uint32_t(uniform_[i] < other.uniform_[i]);
    if (less && !detailed_)
        return false;
    auto mine = details_.begin();
    for (const auto& [slot, lanes] : other.details_) {
        while (mine != details_.end() && mine->first < slot)
            ++mine;
        const bool is_detail = mine != details_.end() && mine->first == slot;
        if (!(is_detail ? reach(mine->second, lanes) : stay_below(lanes, uniform_[slot])))
            return false;
    }
    mine = details_.begin();
    for (size_t i = 0; less && i < uniform_.size(); ++i) {
        if (uniform_[i] >= other.uniform_[i])
            continue;
        while (mine != details_.end() && mine->first < i)
            ++mine;
        if (mine == details_.end() || mine->first != i || !reach(mine->second, other.uniform_[i]))
            return false;
    }
    auto phase = phases_.begin();
    for (const auto& theirs : other.phases_) {
        phase = std::find_if(phase, phases_.end(), [&](const auto& ours) { return ours.first >= theirs.first; });
        if (phase == phases_.end() || phase->first != theirs.first || phase->second < theirs.second)
            return false;
    }
    return true;
}

void Chunk::fence(bool shared, bool global) {
    auto lift = [&](Plane from, Plane to) {
        for (uint32_t warp = 0; warp < warps_; ++warp) {
            const uint32_t source = uint32_t(from) * warps_ + warp, target = uint32_t(to) * warps_ + warp;
            if (const Lanes* lanes = find(source)) {
                const Lanes copy = *lanes;
                Lanes& mine = detail(target);
                for (size_t lane = 0; lane < 32; ++lane)
                    mine[lane] = std::max(mine[lane], copy[lane]);
            } else if (find(target)) {
                for (auto& value : detail(target))
                    value = std::max(value, uniform_[source]);
            } else {
                uniform_[target] = std::max(uniform_[target], uniform_[source]);
            }
        }
    };
    if (shared) {
        lift(Plane::generic, Plane::fenced_shared);
        lift(Plane::copies, Plane::copies_fenced);
    }
    if (global)
        lift(Plane::generic, Plane::fenced_global);
}

bool Chunk::project(const Chunk& from, Plane plane, Plane to) {
    bool any = false;
    for (uint32_t warp = 0; warp < warps_; ++warp) {
        const uint32_t source = uint32_t(plane) * warps_ + warp, target = uint32_t(to) * warps_ + warp;
        if (const Lanes* lanes = from.detailed_ ? from.find(source) : nullptr) {
            Lanes& mine = detail(target);
            for (size_t lane = 0; lane < 32; ++lane)
                mine[lane] = std::max(mine[lane], (*lanes)[lane]);
            any = true;
        } else if (from.uniform_[source]) {
            raise(to, warp, ~0u, ~0u, from.uniform_[source]);
            any = true;
        }
    }
    return any;
}

bool Chunk::any(Plane plane) const {
    for (uint32_t warp = 0; warp < warps_; ++warp) {
        const uint32_t slot = uint32_t(plane) * warps_ + warp;
        if (uniform_[slot] || (detailed_ && find(slot)))
            return true;
    }
    return false;
}

void Chunk::raise_phase(uint32_t barrier, uint32_t count) {
    auto it = lower(phases_, barrier);
    if (it != phases_.end() && it->first == barrier)
        it->second = std::max(it->second, count);
    else
        phases_.insert(it, {barrier, count});
}

uint32_t Chunk::phases(uint32_t barrier) const {
    auto it = lower(phases_, barrier);
    return it != phases_.end() && it->first == barrier ? it->second : 0;
}

void ClockBuilder::join(const ClockRef& clock) {
    if (!clock || clock == last_)
        return;
    last_ = clock;
    auto it = entries_.begin(); // both are sorted
    for (const auto& entry : clock->entries()) {
        it = std::find_if(it, entries_.end(), [&](const Entry& e) { return e.block >= entry.block; });
        if (it == entries_.end() || it->block != entry.block)
            it = entries_.insert(it, {entry.block, entry.chunk, nullptr});
        else if (it->chunk != entry.chunk)
            join(*it, entry.chunk);
    }
}

/// Mostly one of the two knows more: then it is shared.
void ClockBuilder::join(Entry& entry, const std::shared_ptr<const Chunk>& chunk) {
    if (chunk->covers(*entry.chunk)) {
        entry = {entry.block, chunk, nullptr};
    } else if (!entry.chunk->covers(*chunk)) {
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

} // namespace sim::hazards
