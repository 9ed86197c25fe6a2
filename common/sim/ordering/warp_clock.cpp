#include "sim/ordering/warp_clock.h"

#include <bit>

namespace sim::hazards {

void NarrowArrivals::add(const WarpClock& warp, uint32_t mask, uint32_t at) {
    pc = at;
    for (uint32_t rest = mask; rest;) {
        const auto lane = uint32_t(std::countr_zero(rest));
        const uint32_t lanes = warp.one_clock() ? rest : 1u << lane;
        arrivals.push_back({warp.clock(lane), warp.block, warp.warp, lanes, warp.tick});
        rest &= ~lanes;
    }
    for (uint32_t rest = warp.fenced ? mask : 0; rest; rest &= rest - 1) {
        const auto lane = uint32_t(std::countr_zero(rest));
        const ClockRef& clock = warp.fence_clock[lane];
        const auto known = std::ranges::find_if(fences, [&](const Fenced& one) {
            return one.lane == lane && one.warp == warp.warp && one.block == warp.block;
        });
        if (known != fences.end())
            known->known = clock;
        else if (clock)
            fences.push_back({warp.block, warp.warp, lane, clock});
    }
}

bool NarrowArrivals::cover(Epoch e) const {
    return std::ranges::any_of(arrivals, [e](const Arrival& one) {
        return covers(one.known, e) || (one.block == block_of(e) && one.warp == warp_of(e) &&
                                        (one.mask >> lane_of(e) & 1) && one.tick >= tick_of(e));
    });
}

bool NarrowArrivals::fenced(Epoch e) const {
    return std::ranges::any_of(fences, [e](const Fenced& one) { return covers(one.known, e); });
}

void WarpClock::find_known() const {
    static constexpr uint32_t nothing[32] = {};
    const Chunk* chunk = one_clock_ && common_ ? common_->chunk(block) : nullptr;
    known_to_all_ = chunk ? chunk->at_least(Plane::generic) : nothing;
    if (synced_ && known_to_all_[warp] < synced_) {
        std::copy_n(known_to_all_, warps, known_.begin());
        known_[warp] = synced_;
        known_to_all_ = known_.data();
    }
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < warps; ++i) {
        least = std::min(least, known_to_all_[i]);
        most = std::max(most, known_to_all_[i]);
    }
    least_known_ = least;
    most_known_ = most;
}

const ClockRef& WarpClock::whole() const {
    if (!whole_) {
        ClockBuilder builder;
        builder.join(common_);
        builder.own(block, warps).raise(Plane::generic, warp, population, population, synced_);
        whole_ = builder.take();
    }
    return whole_;
}

void WarpClock::set_common(ClockRef clock, uint32_t synced) {
    common_ = std::move(clock);
    synced_ = synced;
    whole_ = nullptr;
    known_to_all_ = nullptr;
}

void WarpClock::diverge() {
    if (one_clock_)
        separate_.fill(clock(0));
    set_common(nullptr, 0);
    one_clock_ = false;
}

void WarpClock::converge() {
    const auto first = uint32_t(std::countr_zero(population));
    for (uint32_t lane = first; lane < 32; ++lane)
        if ((population >> lane & 1) && separate_[lane] != separate_[first])
            return;
    common_ = separate_[first];
    separate_.fill(nullptr);
    one_clock_ = true;
}

template <class F>
void WarpClock::change(uint32_t mask, F&& change) {
    mask &= population;
    known_to_all_ = nullptr;
    if (one_clock_ && mask == population)
        return set_common(change(clock(0)), 0);
    diverge();
    ClockRef last_in, last_out; // neighbouring lanes mostly share a clock
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        ClockRef& mine = separate_[size_t(std::countr_zero(rest))];
        if (!last_out || mine != last_in) {
            last_in = mine;
            last_out = change(mine);
        }
        mine = last_out;
    }
    converge();
}

void WarpClock::release_into(ClockBuilder& builder, uint32_t mask) {
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        builder.join(apart_from_own(uint32_t(std::countr_zero(rest))));
        if (one_clock_)
            break;
    }
    Chunk& chunk = builder.own(block, warps);
    if (synced_ && mask != population)
        chunk.raise(warp, mask, population, synced_, tick);
    else
        chunk.raise(Plane::generic, warp, mask, population, tick);
    if (copies_used) {
        chunk.raise(Plane::copies, warp, mask, population, copies_done);
        chunk.raise(Plane::copies_fenced, warp, mask, population, copies_fenced);
    }
    if (fences_used) {
        chunk.raise(Plane::fenced_shared, warp, mask, population, fenced_shared);
        chunk.raise(Plane::fenced_global, warp, mask, population, fenced_global);
    }
    if (membar_used)
        chunk.raise(Plane::fenced_device, warp, mask, population, fenced_device);
    if (bulk_used) {
        chunk.raise(Plane::bulk_read, warp, mask, population, bulk_read);
        chunk.raise(Plane::bulk_done, warp, mask, population, bulk_done);
    }
    if (matrices_done)
        chunk.raise(Plane::matrices, warp & ~3u, ~0u, ~0u, matrices_done);
    ++tick;
}

ClockRef WarpClock::released(uint32_t mask) {
    ClockBuilder builder;
    release_into(builder, mask);
    return builder.take();
}

void WarpClock::acquire(uint32_t mask, const ClockRef& clock, bool replaces, Acquired* last) {
    if (!clock)
        return;
    narrow_wait.mask = 0;
    const auto with_clock = [&](const ClockRef& mine) {
        if (replaces || mine == clock)
            return clock;
        if (last && last->before == mine && last->clock == clock)
            return last->after;
        ClockRef after = joined(mine, clock);
        if (last)
            *last = {mine, clock, after};
        return after;
    };
    if (one_clock_ && (mask & population) == population)
        return set_common(with_clock(common_), replaces ? 0 : synced_);
    change(mask, with_clock);
}

void WarpClock::sync(uint32_t mask) {
    mask &= population;
    const bool accesses_only = !copies_used && !fences_used && !membar_used && !bulk_used && !matrices_done;
    if (!one_clock_ || mask != population || !accesses_only)
        return acquire(mask, released(mask), true);
    narrow_wait.mask = 0;
    synced_ = tick++;
    whole_ = nullptr;
    known_to_all_ = nullptr;
}

void WarpClock::proxy_fence(uint32_t mask, bool shared, bool global) {
    fences_used = true;
    mask &= population;
    change(mask, [&](const ClockRef& mine) {
        ClockBuilder builder;
        builder.join(mine);
        for (const auto& entry : mine->entries())
            builder.own(entry.block, entry.chunk->warps()).fence(shared, global);
        return builder.take();
    });
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const auto lane = size_t(std::countr_zero(rest));
        if (shared) {
            fenced_shared[lane] = tick;
            copies_fenced[lane] = copies_done[lane];
        }
        if (global)
            fenced_global[lane] = tick;
    }
    ++tick;
}

} // namespace sim::hazards
