#include "sim/ordering/peer_accesses.h"

#include <bit>

namespace sim::hazards {
namespace {

/// Those of lanes `mask` whose access at tick_of_lane(lane) is not known.
template <class TickOfLane>
uint32_t unknown_lanes(const ClockRef& known, uint64_t block, uint32_t warp, uint32_t mask, TickOfLane&& tick_of_lane) {
    const Chunk* chunk = known ? known->chunk(block) : nullptr;
    uint32_t unknown = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const auto lane = uint32_t(std::countr_zero(rest));
        if (!chunk || chunk->at(Plane::generic, warp, lane) < tick_of_lane(lane))
            unknown |= 1u << lane;
    }
    return unknown;
}

} // namespace

void PeerAccesses::access(const WarpClock& by, uint32_t mask, uint32_t pc, What what) {
    FromWarp& from = warps_[key(by.block, by.warp)];
    from.mask |= mask;
    from.relaxed &= ~mask;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        from.last[size_t(std::countr_zero(rest))] = {by.tick, pc, what};
}

void PeerAccesses::arrival(const WarpClock& by, uint32_t mask, uint32_t pc, uint32_t barrier, uint32_t phase) {
    for (Arrival& known : arrivals_)
        if (known.block == by.block && known.warp == by.warp && known.barrier == barrier)
            known.mask &= ~mask;
    std::erase_if(arrivals_, [](const Arrival& known) { return !known.mask; });
    arrivals_.push_back({by.block, by.warp, mask, pc, by.tick, barrier, phase, 0});
}

void PeerAccesses::waited(uint32_t barrier, uint32_t phase) {
    std::erase_if(arrivals_, [&](const Arrival& known) { return known.barrier == barrier && known.phase < phase; });
}

void PeerAccesses::settle(uint64_t block, uint32_t warp, uint32_t mask) {
    if (const auto found = warps_.find(key(block, warp)); found != warps_.end())
        found->second.mask &= ~mask;
    for (Arrival& known : arrivals_)
        if (known.block == block && known.warp == warp)
            known.mask &= ~mask;
}

void PeerAccesses::pass_relaxed(uint64_t block, uint32_t warp, uint32_t mask) {
    if (const auto found = warps_.find(key(block, warp)); found != warps_.end()) {
        FromWarp& from = found->second;
        for (uint32_t rest = from.mask & mask; rest; rest &= rest - 1) {
            const auto lane = uint32_t(std::countr_zero(rest));
            if (from.last[lane].what == What::read)
                from.mask &= ~(1u << lane);
            else
                from.relaxed |= 1u << lane;
        }
    }
    for (Arrival& known : arrivals_)
        if (known.block == block && known.warp == warp)
            known.relaxed |= known.mask & mask;
}

std::vector<PeerAccesses::Access> PeerAccesses::unordered(const ClockRef& known) const {
    std::vector<Access> found;
    std::unordered_map<uint64_t, uint32_t> named; // lanes whose arrival says it all
    for (const Arrival& arrival : arrivals_)
        if (const uint32_t mask = unknown_lanes(known, arrival.block, arrival.warp, arrival.mask,
                                                [&](uint32_t) { return arrival.tick; })) {
            for (const bool relaxed : {false, true})
                if (const uint32_t part = mask & (relaxed ? arrival.relaxed : ~arrival.relaxed))
                    found.push_back({arrival.block, arrival.warp, part, arrival.pc, What::arrival, relaxed});
            named[key(arrival.block, arrival.warp)] |= mask;
        }
    for (const auto& [which, from] : warps_) {
        const uint64_t block = which >> 5;
        const auto warp = uint32_t(which & 31);
        const auto by_arrival = named.find(which);
        uint32_t rest = unknown_lanes(known, block, warp, from.mask,
                                      [&last = from.last](uint32_t lane) { return last[lane].tick; });
        rest &= by_arrival == named.end() ? ~0u : ~by_arrival->second;
        while (rest) { // lanes of one instruction together
            const Last& first = from.last[size_t(std::countr_zero(rest))];
            const bool relaxed = from.relaxed >> std::countr_zero(rest) & 1;
            const uint32_t alike = rest & (relaxed ? from.relaxed : ~from.relaxed);
            uint32_t mask = 0;
            for (uint32_t lane = 0; lane < 32; ++lane)
                if ((alike >> lane & 1) && from.last[lane].pc == first.pc)
                    mask |= 1u << lane;
            found.push_back({block, warp, mask, first.pc, first.what, relaxed});
            rest &= ~mask;
        }
    }
    return found;
}

} // namespace sim::hazards
