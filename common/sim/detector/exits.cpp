#include <algorithm>

#include "sim/detector/trackers.h"

namespace sim::hazards {
namespace {

/// The union of what the threads of a block know at their end.
ClockRef last_known(const BlockState& block) {
    ClockBuilder builder;
    for (const auto& warp : block.warps) {
        const WarpClock& clock = warp->clock;
        for (uint32_t lane = 0; lane < 32; ++lane)
            if (clock.population >> lane & 1) {
                builder.join(clock.clock(lane));
                if (clock.one_clock())
                    break;
            }
    }
    return builder.take();
}

} // namespace

void ExitTracker::block_end(Block& block) {
    if (!block.done())
        return;
    const BlockState& state = BlockState::of(block);
    const uint64_t base = core_.ordering.operations.base();
    if (!state.peers.empty()) {
        auto accesses = state.peers.unordered(last_known(state));
        std::ranges::sort(accesses, {}, [](const auto& access) { return std::pair(access.block, access.warp); });
        for (const PeerAccesses::Access& access : accesses) {
            Place place = core_.places.at(access.pc, {});
            place.threads.add(access.block - base, access.warp * 32, access.mask);
            core_.findings.report(PeerOutlived{access.what, access.relaxed}, std::move(place));
        }
    }
    for (uint32_t id = 0; id < block.barriers.size(); ++id) {
        const machine::NamedBarrier& barrier = block.barriers[id];
        if (barrier.arrived == 0)
            continue;
        Place place = core_.places.at(state.barriers.last_arrival(id), {});
        for (const auto& warp : block.warps)
            if (const uint32_t mask = state.barriers.arrived(id, warp->id))
                place.threads.add(block.linear, warp->id * 32, mask);
        core_.findings.report(LeftoverArrivals{id, barrier.arrived, barrier.expected}, std::move(place));
    }
}

/// Lanes that have ended count as arrived: whatever they did before is over when a thread of the other block goes on.
void ExitTracker::cluster_complete(Block& any) {
    for (const auto& block : any.grid.resident) {
        PeerAccesses& peers = BlockState::of(*block).peers;
        if (block->cluster != any.cluster || block->done() || peers.empty())
            continue;
        for (const auto& peer : any.grid.resident)
            if (peer->cluster == any.cluster && peer != block)
                for (const auto& warp : peer->warps) {
                    const WarpState& state = WarpState::of(*warp);
                    peers.settle(state.clock.block, warp->id, warp->exited);
                    peers.pass_relaxed(state.clock.block, warp->id, state.arrived_relaxed);
                }
    }
    for (const auto& block : any.grid.resident)
        if (block->cluster == any.cluster)
            for (const auto& warp : block->warps)
                WarpState::of(*warp).arrived_relaxed = 0;
}

} // namespace sim::hazards
