#include <algorithm>
#include <bit>

#include "sim/detector/trackers.h"

namespace sim::hazards {
namespace {

/// A number of the block's cluster that no other cluster has, in whatever launch.
uint64_t cluster_of(Block& block) {
    return BlockState::of(block).id - block.linear + block.cluster;
}

} // namespace

void BarrierTracker::cluster_complete(Block& any) {
    for (const auto& block : any.grid.resident) {
        if (block->cluster != any.cluster)
            continue;
        for (const auto& warp : block->warps) // lanes that have ended count as arrived
            if (const uint32_t gone = warp->exited & warp->population & ~warp->cluster_arrived)
                clusters_.arrive(WarpState::of(*warp).clock, gone, cluster_of(any), true);
    }
    clusters_.complete(cluster_of(any));
}

void BarrierTracker::warp_sync(Warp& warp, uint32_t mask) {
    WarpState::of(warp).clock.sync(mask);
}

void BarrierTracker::warp_rendezvous(Warp& warp, uint32_t mask) {
    WarpState& state = WarpState::of(warp);
    const uint32_t tick = state.clock.tick++;
    machine::for_lanes(mask, [&](int lane) {
        state.history.rendezvous_tick[size_t(lane)] = tick;
        state.history.rendezvous_mask[size_t(lane)] = mask;
    });
}

uint32_t BarrierTracker::undefined_value(Exec& x, uint32_t lane, const events::Misuse& why) {
    // As for racing loads: values that do not matter must not use up the report limit of those that do.
    uint32_t& last = undefined_[x.pc()];
    if (core_.said_enough(x.pc(), ~0u))
        return last;
    std::visit(
        [&](const auto& fact) {
            if (auto finding = core_.findings.explain(fact, core_.here(x, 1u << lane), std::nullopt))
                last = core_.held.hold(std::move(*finding));
        },
        why);
    return last;
}

void BarrierTracker::barrier_arrive(Warp& warp, uint32_t mask, uint32_t id) {
    constexpr size_t most = 8;
    BlockState& state = BlockState::of(warp.block);
    const uint32_t pc = pc_of(warp);
    if (const uint32_t other = state.barriers.last_arrival(id);
        id == 0 && other != pc && state.barriers.any_arrived(id))
        if (const std::pair pair{other, pc}; state.meetings.size() < most && !std::ranges::count(state.meetings, pair))
            state.meetings.push_back(pair);
    WarpHistory& history = WarpState::of(warp).history;
    const bool waits = op_of(warp).does(machine::effect::waits_at_barrier);
    const uint32_t before = state.barriers.arrived_at(id, warp.id);
    const BlockBarriers::Twice again{id, warp.id, mask, before, pc, {}};
    // bar.arrive and then bar.sync: whether that phase is over by now depends on the others' order.
    if (const bool arrived = state.barriers.have_arrived(id, warp.id, mask); arrived && waits)
        state.barriers.arrives_twice(again);
    else if (arrived || (waits && id && history.arrived_only[id] == history.synchronisations + 1))
        arrived_twice(warp.block, again);
    else if (const auto* twice =
                 state.barriers.overtaken(id, WarpState::of(warp).clock, uint32_t(std::countr_zero(mask))))
        arrived_twice(warp.block, *twice);
    history.arrived_only[id] = waits ? 0 : history.synchronisations + 1;
    state.barriers.arrive(WarpState::of(warp).clock, mask, id, pc);
}

void BarrierTracker::arrived_twice(Block& block, const BlockBarriers::Twice& twice) {
    Place place = core_.places.at(twice.second_pc, {});
    place.threads.add(block.linear, twice.warp * 32, twice.mask);
    core_.findings.report(
        ArrivedAgain{twice.id, block.barriers[twice.id].expected,
                     (effects_at(core_.places, twice.second_pc) & machine::effect::waits_at_barrier) != 0},
        std::move(place), core_.places.at(twice.first_pc, {}));
}

/// One warp's wait for a phase, then a barrier, stands for all threads that meet there.
PhaseWait BarrierTracker::wait_before(Block& block, uint32_t id) {
    PhaseWait found;
    for (const auto& warp : block.warps) {
        const WarpState& state = WarpState::of(*warp);
        if (!state.history.phases_waited)
            continue;
        for (uint32_t rest = BlockState::of(block).barriers.arrived(id, warp->id); rest; rest &= rest - 1) {
            const PhaseWait& wait = state.history.phase_waits[size_t(std::countr_zero(rest))];
            if (!wait.barrier || wait.through)
                continue;
            if (found.barrier && (found.barrier != wait.barrier || found.phase != wait.phase || found.pc != wait.pc))
                return {};
            found = wait;
            found.through = uint16_t(warp->id + 1);
        }
    }
    return found;
}

void BarrierTracker::barrier_complete(Block& block, uint32_t id) {
    BlockState& state = BlockState::of(block);
    state.waits_before[id] = wait_before(block, id);
    const bool whole_block = block.barriers[id].expected >= block.threads;
    std::array<WarpClock*, 32> clocks;
    std::array<uint32_t, 32> gone;
    for (size_t i = 0; i < block.warps.size(); ++i) {
        Warp& warp = *block.warps[i];
        clocks[i] = &WarpState::of(warp).clock;
        gone[i] = warp.exited & warp.population;
    }
    const size_t count = block.warps.size();
    state.barriers.complete(id, {clocks.data(), count}, {gone.data(), count}, whole_block);
    // Every reader of the block is ordered before the following accesses, unless a thread went on without waiting
    // (bar.arrive).
    if (whole_block && !block.barriers[id].passed)
        state.shadow.sets.retire();
    if (state.shadow.sets.is_full())
        collect_read_sets(state.shadow);
}

void BarrierTracker::barrier_release(Warp& warp, uint32_t mask, uint32_t id) {
    WarpState& state = WarpState::of(warp);
    BlockState::of(warp.block).barriers.release(state.clock, mask, id);
    ++state.history.synchronisations;
    const machine::NamedBarrier& barrier = warp.block.barriers[id];
    state.history.named = {};
    if (barrier.expected < warp.block.threads)
        state.history.named = {BlockState::of(warp.block).barriers.arrived_at(id, warp.id), id, barrier.expected,
                               barrier.completions};
    state.history.copies_at_barrier = state.history.copies_issued;
    PhaseWait wait = BlockState::of(warp.block).waits_before[id];
    if (!state.history.phases_waited && !wait.barrier)
        return;
    machine::for_lanes(mask, [&](int lane) { state.history.phase_waits[size_t(lane)] = wait; });
    state.history.phases_waited = wait.barrier || mask != state.clock.population;
}

void BarrierTracker::cluster_arrive(Warp& warp, uint32_t mask, bool release) {
    WarpState& state = WarpState::of(warp);
    if (!release)
        state.arrived_relaxed |= mask;
    clusters_.arrive(state.clock, mask, cluster_of(warp.block), release);
}

void BarrierTracker::cluster_release(Warp& warp, uint32_t mask, bool acquire) {
    if (acquire)
        clusters_.release(WarpState::of(warp).clock, mask, cluster_of(warp.block));
}

} // namespace sim::hazards
