#include "sim/ordering/barrier_clocks.h"

#include <bit>
#include <utility>

namespace sim::hazards {

void BlockBarriers::arrive(WarpClock& warp, uint32_t mask, uint32_t id, uint32_t pc) {
    last_pc_[id] = pcs_[id][warp.warp] = pc;
    arrived_[id][warp.warp] |= mask;
    users_[id][warp.warp] |= mask;
    ticks_[id][warp.warp] = warp.tick;
    warp.release_into(arriving_[id], mask);
}

void BlockBarriers::complete(uint32_t id, std::span<WarpClock* const> warps, std::span<const uint32_t> gone,
                             bool whole_block) {
    for (Twice& one : twice_)
        for (uint32_t warp = 0; one.id == id && one.phase.empty() && warp < 32; ++warp)
            if (const uint32_t lanes = arrived_[id][warp])
                one.phase.push_back({warp, uint32_t(std::countr_zero(lanes)), ticks_[id][warp]});
    for (size_t i = 0; i < warps.size(); ++i) {
        uint32_t& arrived = arrived_[id][warps[i]->warp];
        if (const uint32_t ended = gone[i] & ~arrived; ended && whole_block)
            warps[i]->release_into(arriving_[id], ended);
        arrived = 0;
    }
    completed_[id] = arriving_[id].take();
}

void BlockBarriers::arrives_twice(const Twice& one) {
    std::erase_if(twice_, [&](const Twice& other) { return other.id == one.id; });
    twice_.push_back(one);
}

const BlockBarriers::Twice* BlockBarriers::overtaken(uint32_t id, const WarpClock& warp, uint32_t lane) const {
    for (const Twice& one : twice_) {
        const Chunk* known = one.id == id && !one.phase.empty() ? warp.clock(lane)->chunk(warp.block) : nullptr;
        for (const Twice::Arrived& other : one.phase)
            if (one.id == id && other.warp != warp.warp &&
                (!known || known->at(Plane::generic, other.warp, other.lane) < other.tick))
                return &one;
    }
    return nullptr;
}

void ClusterBarriers::arrive(WarpClock& warp, uint32_t mask, uint64_t cluster, bool release) {
    ClockBuilder& arriving = clusters_[cluster].arriving;
    if (release) {
        warp.release_into(arriving, mask);
        return;
    }
    // A relaxed arrival publishes what a fence before it covers.
    for (uint32_t rest = warp.fenced ? mask : 0; rest; rest &= rest - 1)
        if (const ClockRef& fenced = warp.fence_clock[size_t(std::countr_zero(rest))])
            arriving.join(fenced);
}

void ClusterBarriers::complete(uint64_t cluster) {
    Clocks& clocks = clusters_[cluster];
    clocks.completed = clocks.arriving.take();
}

void MbarrierClock::remember(uint64_t by_block, uint32_t warp, uint32_t mask, bool by_copies) {
    if (!arrived.empty() && arrived.back().block == by_block && arrived.back().warp == warp &&
        arrived.back().by_copies == by_copies)
        arrived.back().mask |= mask;
    else
        arrived.push_back({by_block, warp, mask, by_copies});
}

void MbarrierClock::remember(const Arriver& arriver) {
    OfWarp& its = of_warp(arriver.block, arriver.warp);
    if (its.arriver_pc == arriver.pc && !(arriver.mask & ~its.arriver_mask))
        return;
    its.arriver_pc = arriver.pc;
    its.arriver_mask = arriver.mask;
    for (Arriver& known : arrivers)
        if (known.warp == arriver.warp && known.pc == arriver.pc && known.block == arriver.block) {
            known.mask |= arriver.mask;
            return;
        }
    if (arrivers.size() < most_arrivers)
        arrivers.push_back(arriver);
}

void MbarrierClock::remember(const Issued& copy) {
    for (Issued& known : issued)
        if (known.block == copy.block && known.warp == copy.warp && known.lane == copy.lane) {
            known = copy;
            return;
        }
    issued.push_back(copy);
}

void MbarrierClock::remember(const Use& use) {
    OfWarp& its = of_warp(block_of(use.epoch), warp_of(use.epoch));
    const auto again = [&use](const Use& known) {
        return Use{use.epoch, use.mask, known.epoch == use.epoch ? known.pc : use.pc};
    };
    if (its.use.mask && !(its.use.mask & ~use.mask)) { // mostly all lanes, time and again
        its.use = again(its.use);
        return;
    }
    settle(its);
    const auto by_same_warp = [&](const Use& known) { return ((known.epoch ^ use.epoch) & thread_field) == 0; };
    const auto of_warp = std::ranges::find_if(uses, by_same_warp);
    const bool is_new = of_warp == uses.end();
    if (is_new ||
        ((of_warp->mask & ~use.mask) == 0 && std::find_if(of_warp + 1, uses.end(), by_same_warp) == uses.end())) {
        its.use_at = uint32_t(of_warp - uses.begin());
        its.use = is_new ? use : again(*of_warp);
        if (is_new)
            uses.push_back(use);
        if (uses_divided)
            settle(its);
        return;
    }
    settle_uses();
    uses_divided = true;
    bool merged = false;
    for (size_t i = 0; i < uses.size();) {
        Use& known = uses[i];
        if (known.epoch == use.epoch) {
            known.mask |= use.mask;
            merged = true;
        } else if (((known.epoch ^ use.epoch) & thread_field) == 0) {
            known.mask &= ~use.mask; // the same threads again, later
        }
        if (known.mask) {
            ++i;
        } else if (merged) {
            known = uses.back();
            uses.pop_back();
        } else {
            known = use;
            merged = true;
            ++i;
        }
    }
    if (!merged)
        uses.push_back(use);
}

void MbarrierClock::complete(const events::Mbarrier& barrier) {
    arrived_before.swap(arrived);
    arrived.clear();
    issued_before = std::exchange(issued_bytes, 0);
    arriving.own(block, warps).raise_phase(barrier.id, barrier.phase);
    completed = arriving.snapshot();
    const bool wide = std::exchange(wide_arrival, false);
    narrow = arriving_narrow.pc && !wide ? std::make_shared<const NarrowArrivals>(arriving_narrow) : nullptr;
    arriving_narrow.arrivals.clear();
    arriving_narrow.pc = 0;
}

} // namespace sim::hazards
