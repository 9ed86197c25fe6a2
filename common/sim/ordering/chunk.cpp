#include "sim/ordering/chunk.h"

#include <algorithm>

namespace sim::hazards {

uint32_t Chunk::first_of(uint32_t slot) const {
    if (ahead_ <= 64) { // quicker than to search
        uint32_t before = 0;
        for (uint32_t i = 0; i < ahead_; ++i)
            before += uint32_t(slots()[i] < slot);
        return before;
    }
    return uint32_t(std::lower_bound(slots(), slots() + ahead_, slot) - slots());
}

uint32_t Chunk::first_barrier(uint32_t barrier) const {
    return uint32_t(std::lower_bound(barriers(), barriers() + barriers_, barrier) - barriers());
}

void Chunk::add_planes(uint32_t planes) {
    for (uint32_t rest = planes & ~planes_; rest; rest &= rest - 1) {
        const auto plane = uint32_t(std::countr_zero(rest));
        data_.insert(data_.begin() + place_of(plane), warps_, 0);
        planes_ |= 1u << plane;
    }
}

/// Before the lanes ahead that are number `i` now.
void Chunk::add_ahead(uint32_t i, uint32_t slot, uint32_t of, uint32_t value) {
    const auto value_at = values() - data_.data() + i, slot_at = slots() - data_.data() + i;
    data_.insert(data_.begin() + slot_at + ahead_, of); // the last one first: it moves nothing before it
    data_.insert(data_.begin() + slot_at, slot);
    data_.insert(data_.begin() + value_at, value);
    ++ahead_;
}

void Chunk::drop_ahead(uint32_t i) {
    const auto value_at = values() - data_.data() + i, slot_at = slots() - data_.data() + i;
    data_.erase(data_.begin() + slot_at + ahead_);
    data_.erase(data_.begin() + slot_at);
    data_.erase(data_.begin() + value_at);
    --ahead_;
}

/// Drops those of the lanes ahead, from `first` to `end`, that are no lanes or (`passed`) no longer ahead. Returns the
/// new end.
uint32_t Chunk::drop_ahead(uint32_t first, uint32_t end, bool passed) {
    for (uint32_t i = end; i-- > first;)
        if (!lanes()[i] || (passed && values()[i] <= number(slots()[i]))) {
            drop_ahead(i);
            --end;
        }
    return end;
}

/// Their warps may have reached more than the lanes ahead had.
void Chunk::lift_ahead() {
    for (uint32_t i = 0; i < ahead_; ++i) {
        uint32_t& its = change(values() + i);
        its = std::max(its, number(slots()[i]));
    }
}

/// All lanes of a slot have reached `value`, which is more than they had. Few sets of lanes stay for the next time.
void Chunk::raise_whole(uint32_t slot, uint32_t value) {
    change(numbers(slot >> 5) + (slot & 31)) = value;
    const uint32_t first = first_of(slot);
    uint32_t end = first;
    for (; end < ahead_ && slots()[end] == slot; ++end) {
        uint32_t& its = change(values() + end);
        its = std::max(its, value);
    }
    if (end - first > most_kept)
        drop_ahead(first, end, true);
}

void Chunk::raise(uint32_t slot, uint32_t raised, uint32_t value) {
    uint32_t& whole = change(numbers(slot >> 5) + (slot & 31));
    if (value <= whole)
        return;
    if (raised == ~0u)
        return raise_whole(slot, value);
    const uint32_t first = first_of(slot);
    uint32_t end = first, others = 0, least = value;
    bool changed = false;
    for (; end < ahead_ && slots()[end] == slot; ++end) {
        uint32_t &its = change(lanes() + end), &its_value = change(values() + end);
        if (its == raised) { // mostly the same lanes as before
            its_value = std::max(its_value, value);
            return;
        }
        if (its_value >= value) {
            raised &= ~its;
        } else if (its & raised) {
            its &= ~raised;
            changed = true;
        }
        others |= its;
        if (its)
            least = std::min(least, its_value);
    }
    const bool all = (raised | others) == ~0u;
    if (all)
        whole = least;
    const bool ahead = raised && value > whole;
    if (changed || all)
        end = drop_ahead(first, end, all);
    if (ahead)
        add_ahead(end++, slot, raised, value);
    sort_lanes(first, end);
}

/// The lanes ahead of one slot: so that chunks that know of the same ones have them at the same place.
void Chunk::sort_lanes(uint32_t first, uint32_t end) {
    for (uint32_t i = first + 1; i < end; ++i)
        for (uint32_t j = i; j > first && lanes()[j - 1] > lanes()[j]; --j) {
            std::swap(change(lanes() + j - 1), change(lanes() + j));
            std::swap(change(values() + j - 1), change(values() + j));
        }
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

void Chunk::raise(uint32_t warp, uint32_t mask, uint32_t population, uint32_t all, uint32_t value) {
    const uint32_t slot = slot_of(Plane::generic, warp), first = first_of(slot);
    uint32_t end = first, its = ahead_;
    for (; end < ahead_ && slots()[end] == slot; ++end)
        its = lanes()[end] == mask ? end : its;
    if (its == ahead_ || end - first > most_kept) {
        raise(Plane::generic, warp, population, population, all);
        raise(Plane::generic, warp, mask, population, value);
        return;
    }
    uint32_t& whole = change(numbers(0) + warp); // mostly the same lanes as before
    whole = std::max(whole, all);
    for (uint32_t i = first; i < end; ++i) {
        uint32_t& reached = change(values() + i);
        reached = std::max(reached, i == its ? value : all);
    }
}

void Chunk::raise_lanes(Plane plane, uint32_t warp, uint32_t mask, uint32_t population, uint32_t value) {
    mask &= population;
    if (!value || !mask)
        return;
    add_planes(1u << uint32_t(plane));
    raise(slot_of(plane, warp), mask == population ? ~0u : mask, value);
}

bool Chunk::has_details(uint32_t warp, uint32_t reached) const {
    const uint32_t slot = slot_of(Plane::generic, warp);
    for (uint32_t i = 0; i < ahead_; ++i)
        if (values()[i] > number(slots()[i]) && (slots()[i] != slot || values()[i] > reached))
            return true;
    return false;
}

/// Do both hold numbers of the same?
bool Chunk::same_keys(const Chunk& other) const {
    if (planes_ != other.planes_ || ahead_ != other.ahead_ || barriers_ != other.barriers_)
        return false;
    const uint32_t *ours = slots(), *theirs = other.slots();
    uint32_t different = 0; // a bool would be looked at one by one
    for (uint32_t i = 0; i < 2 * ahead_ + barriers_; ++i)
        different |= ours[i] ^ theirs[i];
    return !different;
}

namespace {

/// Raises `count` numbers; has any been raised?
bool raise_all(uint32_t* ours, const uint32_t* theirs, uint32_t count) {
    uint32_t raised = 0; // a bool would be looked at one by one
    for (uint32_t i = 0; i < count; ++i) {
        raised |= uint32_t(ours[i] < theirs[i]);
        ours[i] = std::max(ours[i], theirs[i]);
    }
    return raised;
}

} // namespace

/// Lanes that are no further than their warp get a place of their own, so that the next chunks agree in their keys.
void Chunk::adopt(uint32_t slot, uint32_t of) {
    const uint32_t first = first_of(slot);
    uint32_t end = first, others = 0;
    for (; end < ahead_ && slots()[end] == slot; ++end)
        others |= lanes()[end];
    if (end - first >= most_kept || (others & of) || (others | of) == ~0u)
        return;
    add_ahead(end, slot, of, number(slot));
    sort_lanes(first, end + 1);
}

void Chunk::join(const Chunk& other) {
    if (same_keys(other)) {
        const uint32_t count = number_count();
        raise_all(&change(values()), other.values(), value_count() - count);
        if (raise_all(data_.data(), other.data_.data(), count))
            lift_ahead();
        return;
    }
    add_planes(other.planes_);
    bool raised = false;
    for (uint32_t rest = other.planes_; rest; rest &= rest - 1) {
        const auto plane = uint32_t(std::countr_zero(rest));
        raised |= raise_all(&change(numbers(plane)), other.numbers(plane), warps_);
    }
    if (raised)
        lift_ahead();
    for (uint32_t i = 0; i < other.ahead_; ++i)
        if (other.values()[i] > number(other.slots()[i]))
            raise(other.slots()[i], other.lanes()[i], other.values()[i]);
        else
            adopt(other.slots()[i], other.lanes()[i]);
    for (uint32_t i = 0; i < other.barriers_; ++i)
        raise_phase(other.barriers()[i], other.phase_counts()[i]);
}

/// As far as lanes that are ahead in `other` are concerned.
bool Chunk::covers_ahead(const Chunk& other) const {
    for (uint32_t theirs = 0, first = 0; theirs < other.ahead_; ++theirs) { // both are sorted
        const uint32_t slot = other.slots()[theirs], value = other.values()[theirs];
        while (first < ahead_ && slots()[first] < slot)
            ++first;
        if (value <= number(slot))
            continue;
        uint32_t missing = other.lanes()[theirs];
        for (uint32_t i = first; i < ahead_ && slots()[i] == slot; ++i)
            if (values()[i] >= value)
                missing &= ~lanes()[i];
        if (missing)
            return false;
    }
    return true;
}

bool Chunk::covers_phases(const Chunk& other) const {
    for (uint32_t i = 0, mine = 0; i < other.barriers_; ++i) {
        while (mine < barriers_ && barriers()[mine] < other.barriers()[i])
            ++mine;
        if (mine == barriers_ || barriers()[mine] != other.barriers()[i] ||
            phase_counts()[mine] < other.phase_counts()[i])
            return false;
    }
    return true;
}

namespace {

/// Which of two lists of numbers has a greater one than the other at its place?
struct Differences {
    uint32_t less = 0, more = 0;
    void add(const uint32_t* ours, const uint32_t* theirs, uint32_t count) {
        uint32_t any_less = 0, any_more = 0; // bools would be looked at one by one
        for (uint32_t i = 0; i < count; ++i) {
            any_less |= uint32_t(ours[i] < theirs[i]);
            any_more |= uint32_t(ours[i] > theirs[i]);
        }
        less |= any_less;
        more |= any_more;
    }
    Chunk::Order order() const {
        return !less ? Chunk::Order::covers : !more ? Chunk::Order::covered : Chunk::Order::neither;
    }
};

} // namespace

Chunk::Order Chunk::compare(const Chunk& other) const {
    Differences found;
    if (same_keys(other)) {
        found.add(data_.data(), other.data_.data(), value_count());
        return found.order();
    }
    found.less = other.planes_ & ~planes_;
    found.more = planes_ & ~other.planes_;
    for (uint32_t rest = planes_ & other.planes_; rest; rest &= rest - 1) {
        const auto plane = uint32_t(std::countr_zero(rest));
        found.add(numbers(plane), other.numbers(plane), warps_);
    }
    found.less |= uint32_t(!covers_ahead(other) || !covers_phases(other));
    found.more |= uint32_t(!other.covers_ahead(*this) || !other.covers_phases(*this));
    return found.order();
}

void Chunk::raise(uint32_t to, const Chunk& from, uint32_t slot) {
    raise(to, ~0u, from.number(slot));
    for (uint32_t i = from.first_of(slot); i < from.ahead_ && from.slots()[i] == slot; ++i)
        raise(to, from.lanes()[i], from.values()[i]);
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
    const uint32_t i = first_barrier(barrier);
    if (i < barriers_ && barriers()[i] == barrier) {
        uint32_t& known = change(phase_counts() + i);
        known = std::max(known, count);
        return;
    }
    const auto count_at = phase_counts() - data_.data() + i, barrier_at = barriers() - data_.data() + i;
    data_.insert(data_.begin() + barrier_at, barrier); // the last one first: it moves nothing before it
    data_.insert(data_.begin() + count_at, count);
    ++barriers_;
}

uint32_t Chunk::phases(uint32_t barrier) const {
    const uint32_t i = first_barrier(barrier);
    return i < barriers_ && barriers()[i] == barrier ? phase_counts()[i] : 0;
}

} // namespace sim::hazards
