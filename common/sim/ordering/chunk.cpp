#include "sim/ordering/chunk.h"

namespace sim::hazards {

void Chunk::add_planes(uint32_t planes) {
    for (uint32_t rest = planes & ~planes_; rest; rest &= rest - 1) {
        const auto plane = uint32_t(std::countr_zero(rest));
        numbers_.insert(numbers_.begin() + (numbers(plane) - numbers_.data()), warps_, 0);
        planes_ |= 1u << plane;
    }
}

void Chunk::raise(uint32_t slot, uint32_t lanes, uint32_t value) {
    uint32_t& whole = numbers(slot >> 5)[slot & 31];
    if (value <= whole)
        return;
    const auto first = ahead_.begin() + (first_of(slot) - ahead_.cbegin());
    auto end = first;
    uint32_t others = 0, least = value;
    for (; end != ahead_.end() && end->slot == slot; ++end) {
        if (end->value >= value)
            lanes &= ~end->lanes;
        else
            end->lanes &= ~lanes;
        others |= end->lanes;
        if (end->lanes)
            least = std::min(least, end->value);
    }
    if ((lanes | others) == ~0u)
        whole = least;
    end = ahead_.erase(std::remove_if(first, end, [&](const Ahead& one) { return !one.lanes || one.value <= whole; }),
                       end);
    if (lanes && value > whole)
        end = ahead_.insert(end, {slot, lanes, value}) + 1;
    std::sort(ahead_.begin() + (first_of(slot) - ahead_.cbegin()), end, in_order);
}

void Chunk::raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, const Lanes& values) {
    for (uint32_t rest = mask; rest;) { // mostly one value for all
        const uint32_t value = values[size_t(std::countr_zero(rest))];
        uint32_t equal = 0;
        for (uint32_t lane = 0; lane < 32; ++lane)
            equal |= uint32_t(values[lane] == value) << lane;
        raise(plane, warp, rest & equal, population, value);
        rest &= ~equal;
    }
}

void Chunk::raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, uint32_t value) {
    mask &= population;
    if (!value || !mask)
        return;
    add_planes(1u << uint32_t(plane));
    raise(slot_of(plane, warp), mask == population ? ~0u : mask, value);
}

/// What whole warps have reached is joined already. Mostly the same lanes are ahead in both.
void Chunk::join_ahead(const Chunk& other) {
    if (same_lanes_ahead(other)) {
        for (size_t i = 0; i < ahead_.size(); ++i)
            ahead_[i].value = std::max(ahead_[i].value, other.ahead_[i].value);
        std::erase_if(ahead_, [&](const Ahead& one) { return one.value <= number(one.slot); });
        return;
    }
    const std::vector<Ahead> before = std::move(ahead_);
    ahead_.clear();
    ahead_.reserve(before.size() + other.ahead_.size());
    auto mine = before.begin();
    auto its = other.ahead_.begin();
    while (mine != before.end() || its != other.ahead_.end()) {
        const bool take_mine = its == other.ahead_.end() || (mine != before.end() && mine->slot <= its->slot);
        const Ahead& next = take_mine ? *mine++ : *its++;
        if (ahead_.empty() || ahead_.back().slot != next.slot) {
            if (next.value > number(next.slot))
                ahead_.push_back(next);
        } else {
            raise(next.slot, next.lanes, next.value);
        }
    }
}

void Chunk::join(const Chunk& other) {
    add_planes(other.planes_);
    const uint32_t* theirs = other.numbers_.data();
    for (uint32_t rest = other.planes_; rest; rest &= rest - 1) {
        uint32_t* ours = numbers(uint32_t(std::countr_zero(rest)));
        for (uint32_t warp = 0; warp < warps_; ++warp)
            ours[warp] = std::max(ours[warp], *theirs++);
    }
    if (!ahead_.empty() || !other.ahead_.empty())
        join_ahead(other);
    auto mine = phases_.begin();
    for (const Phase& phase : other.phases_) {
        while (mine != phases_.end() && mine->first < phase.first)
            ++mine;
        if (mine == phases_.end() || mine->first != phase.first)
            mine = phases_.insert(mine, phase);
        else
            mine->second = std::max(mine->second, phase.second);
    }
}

bool Chunk::same_lanes_ahead(const Chunk& other) const {
    if (ahead_.size() != other.ahead_.size())
        return false;
    uint32_t different = 0;
    for (size_t i = 0; i < ahead_.size(); ++i)
        different |= (ahead_[i].slot ^ other.ahead_[i].slot) | (ahead_[i].lanes ^ other.ahead_[i].lanes);
    return !different;
}

/// As far as lanes that are ahead in `other` are concerned.
bool Chunk::covers_ahead(const Chunk& other) const {
    auto mine = ahead_.begin();
    for (const Ahead& theirs : other.ahead_) {
        if (theirs.value <= number(theirs.slot))
            continue;
        while (mine != ahead_.end() && mine->slot < theirs.slot)
            ++mine;
        uint32_t missing = theirs.lanes;
        for (auto it = mine; it != ahead_.end() && it->slot == theirs.slot; ++it)
            if (it->value >= theirs.value)
                missing &= ~it->lanes;
        if (missing)
            return false;
    }
    return true;
}

bool Chunk::covers_phases(const Chunk& other) const {
    auto mine = phases_.begin();
    for (const Phase& theirs : other.phases_) {
        while (mine != phases_.end() && mine->first < theirs.first)
            ++mine;
        if (mine == phases_.end() || mine->first != theirs.first || mine->second < theirs.second)
            return false;
    }
    return true;
}

Chunk::Order Chunk::compare(const Chunk& other) const {
    uint32_t less = other.planes_ & ~planes_, more = planes_ & ~other.planes_; // a bool would be looked at one by one
    for (uint32_t rest = planes_ & other.planes_; rest; rest &= rest - 1) {
        const auto plane = uint32_t(std::countr_zero(rest));
        const uint32_t *ours = numbers(plane), *theirs = other.numbers(plane);
        for (uint32_t warp = 0; warp < warps_; ++warp) {
            less |= uint32_t(ours[warp] < theirs[warp]);
            more |= uint32_t(ours[warp] > theirs[warp]);
        }
    }
    if (same_lanes_ahead(other)) {
        for (size_t i = 0; i < ahead_.size(); ++i) {
            less |= uint32_t(ahead_[i].value < other.ahead_[i].value);
            more |= uint32_t(ahead_[i].value > other.ahead_[i].value);
        }
    } else {
        less |= uint32_t(!covers_ahead(other));
        more |= uint32_t(!other.covers_ahead(*this));
    }
    if (!less && covers_phases(other))
        return Order::covers;
    return !more && other.covers_phases(*this) ? Order::covered : Order::neither;
}

void Chunk::raise(uint32_t to, const Chunk& from, uint32_t slot) {
    raise(to, ~0u, from.number(slot));
    for (size_t i = size_t(from.first_of(slot) - from.ahead_.begin());
         i < from.ahead_.size() && from.ahead_[i].slot == slot; ++i) {
        const Ahead one = from.ahead_[i]; // `from` may be this one
        raise(to, one.lanes, one.value);
    }
}

void Chunk::fence(bool shared, bool global) {
    const auto lift = [&](Plane from, Plane to) { project(*this, from, to); };
    if (shared) {
        lift(Plane::generic, Plane::fenced_shared);
        lift(Plane::copies, Plane::copies_fenced);
    }
    if (global)
        lift(Plane::generic, Plane::fenced_global);
}

bool Chunk::project(const Chunk& from, Plane plane, Plane to) {
    if (!from.any(plane))
        return false;
    add_planes(1u << uint32_t(to));
    for (uint32_t warp = 0; warp < warps_; ++warp)
        raise(slot_of(to, warp), from, slot_of(plane, warp));
    return true;
}

void Chunk::raise_phase(uint32_t barrier, uint32_t count) {
    const auto it = std::ranges::lower_bound(phases_, barrier, {}, &Phase::first);
    if (it != phases_.end() && it->first == barrier)
        it->second = std::max(it->second, count);
    else
        phases_.insert(it, {barrier, count});
}

uint32_t Chunk::phases(uint32_t barrier) const {
    const auto it = std::ranges::lower_bound(phases_, barrier, {}, &Phase::first);
    return it != phases_.end() && it->first == barrier ? it->second : 0;
}

} // namespace sim::hazards
