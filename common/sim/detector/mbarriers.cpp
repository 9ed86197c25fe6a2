#include <bit>

#include <fmt/format.h>

#include "sim/detector/barrier_memory.h"
#include "sim/detector/trackers.h"

namespace sim::hazards {
namespace {

MbarrierClock& clock_of(const events::Mbarrier& barrier) {
    return *static_cast<MbarrierClock*>(barrier.kept.get());
}

/// An arrival that names .cta has, and so has one that names no scope.
bool has_block_scope(uint32_t effects) {
    using namespace machine::effect;
    return (effects & (arrives | copy_group | cluster_scope)) == arrives;
}

/// Has another warp of the block arrived in the last completed phase, and this lane does not know?
bool completed_unseen(const MbarrierClock& barrier, const WarpClock& own, uint32_t lane) {
    const Chunk* done = barrier.completed ? barrier.completed->chunk(barrier.block) : nullptr;
    const Chunk* known = own.clock(lane)->chunk(barrier.block);
    for (uint32_t warp = 0; done && warp < barrier.warps; ++warp)
        for (uint32_t other = 0; warp != own.warp && other < 32; ++other)
            if (done->at(Plane::generic, warp, other) > (known ? known->at(Plane::generic, warp, other) : 0))
                return true;
    return false;
}

/// Has the lane itself arrived between its last copies and the arrival that is to track them, in a phase that is over?
/// Nothing orders that phase before the tracking arrival, so it may as well count in this phase as in that one.
bool arrived_before_tracking(const WarpState& state, uint32_t lane, const events::Mbarrier& barrier, uint32_t copies) {
    const Arrival* tracked =
        state.history.arrival(lane, [&](const Arrival& a) { return a.tracks && a.copies == copies; });
    const Arrival* own = state.history.arrival(lane, [&](const Arrival& a) {
        return !a.tracks && a.barrier == barrier.id && a.copies == copies && a.phase < barrier.phase;
    });
    return copies && own && !tracked && completed_unseen(clock_of(barrier), state.clock, lane);
}

} // namespace

/// mbarrier.init and mbarrier.inval are ordinary writes of the eight bytes.
void MbarrierTracker::write_object(Exec& x, int lane, const events::Mbarrier& barrier) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    SharedShadow& shared = BlockState::of(*barrier.owner).shadow;
    for_cells(barrier.offset, 8, shared.pool, SharedCells{shared}, [&](Cell& cell, uint64_t at) {
        core_.check_write(x, uint32_t(lane), cell, shared.sets, Role::store, Proxy::generic, {barrier.owner, at});
        cell.wrote(make_epoch(EpochKind::plain, clock.block, clock.warp, uint32_t(lane), clock.tick), x.pc());
    });
}

void MbarrierTracker::init(Exec& x, int lane, events::Mbarrier& barrier) {
    auto clock = std::make_unique<MbarrierClock>();
    clock->block = BlockState::of(*barrier.owner).id;
    clock->warps = uint32_t(barrier.owner->warps.size());
    clock->init_pc = x.pc();
    const machine::DecodedFunction& kernel = *barrier.owner->grid.entry;
    core_.barriers.add(barrier.id, kernel.module->barrier_name(*kernel.function, barrier.offset));
    barrier.kept = std::move(clock);
    barrier_memory::begin(barrier, core_);
    write_object(x, lane, barrier);
}

void MbarrierTracker::use(Exec& x, uint32_t mask, const events::Mbarrier& barrier) {
    if (barrier_memory::used_after_data(core_, x, mask, barrier))
        return;
    const WarpClock& clock = WarpState::of(x.warp).clock;
    MbarrierClock& kept = clock_of(barrier);
    bool& known = kept.of_warp(clock.block, clock.warp).after_init;
    const Epoch write = known ? 0 : BlockState::of(*barrier.owner).shadow.last_write(barrier.offset);
    if (!known && !write)
        return;
    kept.remember(
        MbarrierClock::Use{make_epoch(EpochKind::strong, clock.block, clock.warp, 0, clock.tick), mask, x.pc()});
    if (known)
        return;
    if (clock.one_clock() && core_.ordering.ordered_for_all(clock, write)) {
        known = true;
        return;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        const auto lane = uint32_t(std::countr_zero(rest));
        if (core_.ordering.ordered(clock, lane, write))
            continue;
        core_.findings.report(BarrierInitRace{barrier.owner != &x.block}, core_.here(x, 1u << lane),
                              core_.places.of(write, clock_of(barrier).init_pc, {}));
        return;
    }
}

void MbarrierTracker::invalidate(Exec& x, int lane, events::Mbarrier& barrier) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    Reader bad;
    if (clock_of(barrier).overwritten)
        return;
    if (!barrier_memory::uses_ordered(core_, clock, uint32_t(lane), barrier, &bad))
        core_.findings.report(BarrierEndsInUse{block_of(bad.epoch) != clock.block}, core_.here(x, 1u << uint32_t(lane)),
                              core_.places.of(bad.epoch, bad.pc, {}));
    barrier_memory::end(barrier);
    write_object(x, lane, barrier);
    BlockState::of(*barrier.owner).peers.waited(barrier.id, UINT32_MAX);
}

void MbarrierTracker::arrive(Warp& warp, uint32_t mask, events::Mbarrier& barrier, bool release) {
    WarpState& state = WarpState::of(warp);
    MbarrierClock& clock = clock_of(barrier);
    const uint32_t pc = pc_of(warp);
    state.history.remember(
        Arrival{mask, barrier.id, barrier.phase, pc, state.clock.tick, state.history.copies_issued, false});
    clock.remember(state.clock.block, state.clock.warp, mask, false);
    clock.remember(MbarrierClock::Arriver{state.clock.block, state.clock.warp, mask, pc});
    clock.arrived_unwaited = clock.arrived_unwaited || clock.waited < barrier.phase;
    if (clock.waited < barrier.phase && core_.first_time(pc, clock.init_pc)) {
        Place place = core_.places.at(pc, {});
        place.threads.add(warp.block.linear, warp.id * 32, mask);
        core_.findings.report(PhaseUnwaited{barrier.phase, core_.places.library_call(pc)}, std::move(place));
    }
    if (barrier.owner != &warp.block) {
        PeerAccesses& peers = BlockState::of(*barrier.owner).peers;
        if (!release) // what the lanes did before is over when the phase is
            peers.settle(state.clock.block, warp.id, mask);
        peers.arrival(state.clock, mask, pc, barrier.id, barrier.phase);
    }
    if (release && barrier.owner != &warp.block) {
        if (has_block_scope(op_of(warp).effects))
            clock.arriving_narrow.add(state.clock, mask, pc);
        else
            clock.wide_arrival = true;
    }
    if (release)
        state.clock.release_into(clock.arriving, mask);
    else
        clock.relaxed_arrival = true;
    if (!release && state.tensor_fenced)
        clock.arriving.join(state.tensor_fenced);
}

/// A phase is complete. An arrival that was counted in must come before some other arrival that the phase cannot do
/// without: else the phase may complete before it is counted.
void MbarrierTracker::complete(events::Mbarrier& barrier) {
    MbarrierClock& clock = clock_of(barrier);
    clock.complete(barrier);
    for (const auto& one : clock.counted_in) {
        const Chunk* chunk = clock.completed->chunk(one.block);
        uint32_t late = 0;
        machine::for_lanes(one.mask, [&](int lane) {
            if (!chunk || chunk->at(Plane::generic, one.warp, uint32_t(lane)) < one.tick)
                late |= 1u << lane;
        });
        if (!late || clock.relaxed_arrival || !core_.first_time(one.pc, clock.init_pc))
            continue;
        report_counted_too_late(barrier, one.pc, one.block - core_.ordering.operations.base(), one.warp, late);
    }
    clock.counted_in.clear();
    clock.relaxed_arrival = false;
}

void MbarrierTracker::tracks(Warp& warp, uint32_t mask, const events::Mbarrier& barrier, uint32_t upto) {
    WarpState& state = WarpState::of(warp);
    const uint32_t pc = pc_of(warp);
    const bool counted = op_of(warp).does(machine::effect::counted);
    MbarrierClock& clock = clock_of(barrier);
    if (!counted) {
        clock.counted_in.push_back({state.clock.block, state.clock.warp, mask, state.clock.tick, pc});
        if (arrived_before_tracking(state, uint32_t(std::countr_zero(mask)), barrier, upto) &&
            core_.first_time(pc, clock.init_pc))
            report_counted_too_late(barrier, pc, warp.block.linear, warp.id, mask);
    }
    state.history.remember(Arrival{mask, barrier.id, barrier.phase, pc, state.clock.tick, upto, true});
}

void MbarrierTracker::report_counted_too_late(const events::Mbarrier& barrier, uint32_t pc, uint64_t block,
                                              uint32_t warp, uint32_t mask) {
    Place place = core_.places.at(pc, {});
    place.threads.add(block, warp * 32, mask);
    core_.findings.report(CountedTooLate{core_.barriers.of(barrier.id)}, std::move(place),
                          core_.places.at(clock_of(barrier).init_pc, {}));
}

void MbarrierTracker::copies(Warp& warp, uint32_t mask, events::Mbarrier& barrier, uint32_t upto) {
    const WarpClock& state = WarpState::of(warp).clock;
    MbarrierClock& clock = clock_of(barrier);
    clock.remember(state.block, state.warp, mask, true);
    clock.arriving.own(state.block, uint32_t(warp.block.warps.size()))
        .raise(Plane::copies, state.warp, mask, state.population, upto);
}

void MbarrierTracker::acquire(Warp& warp, uint32_t mask, events::Mbarrier& barrier, bool acquires) {
    WarpState& state = WarpState::of(warp);
    clock_of(barrier).waited = barrier.phase;
    if (BlockState& block = BlockState::of(warp.block); barrier.owner == &warp.block && !block.peers.empty())
        block.peers.waited(barrier.id, barrier.phase);
    PhaseWait wait{barrier.id, barrier.phase - 1, pc_of(warp)};
    wait.relaxed = !acquires;
    PhaseWait again = wait;
    again.again = 1;
    const uint32_t before = state.history.passed(mask, wait.barrier, wait.phase);
    ++state.history.synchronisations;
    state.history.phases_waited = true;
    if (mask == ~0u && !before)
        state.history.phase_waits.fill(wait);
    else
        machine::for_lanes(
            mask, [&](int lane) { state.history.phase_waits[size_t(lane)] = before >> lane & 1 ? again : wait; });
    MbarrierClock& clock = clock_of(barrier);
    if (!acquires) {
        state.tensor_seen = state.tensor_seen ? joined(state.tensor_seen, clock.completed) : clock.completed;
        return;
    }
    const ClockRef known = clock.narrow ? state.clock.clock(uint32_t(std::countr_zero(mask))) : nullptr;
    state.clock.acquire(mask, clock.completed, false, &clock.acquired);
    if (clock.narrow)
        state.clock.narrow_wait = {clock.narrow, known, mask, wait.pc};
}

std::string MbarrierTracker::history(const Warp& warp, uint32_t mask, const events::Mbarrier& barrier) const {
    std::string text;
    if (const uint32_t line = core_.places.kernel_line(clock_of(barrier).init_pc))
        text += fmt::format("; initialised at line {}", line);
    ThreadSet threads, copies;
    for (const auto& arrived : clock_of(barrier).arrived)
        (arrived.by_copies ? copies : threads)
            .add(arrived.block - core_.ordering.operations.base(), arrived.warp * 32, arrived.mask);
    if (!threads.empty())
        text += fmt::format("; arrived: {}", threads.text());
    if (!copies.empty())
        text += fmt::format("; arrivals by the copies of {}", copies.text());
    if (const auto count = too_many_arrive(barrier, core_.ordering.operations.base()))
        return text + "; " + hazards::text(*count);
    const uint32_t known = WarpState::of(warp).history.last_passed(mask, barrier.id);
    if (known + 1 < barrier.phase)
        text += fmt::format("; these threads {}, but {} completed meanwhile: {}the other threads do not wait for them",
                            known == UINT32_MAX ? "have waited for none of its phases"
                                                : fmt::format("last waited for phase {}", known),
                            known + 2 == barrier.phase ? fmt::format("phase {}", known + 1)
                                                       : fmt::format("phases {} to {}", known + 1, barrier.phase - 1),
                            core_.intent.asks_parity(pc_of(warp)) ? "either they wait for the wrong parity, or " : "");
    return text;
}

} // namespace sim::hazards
