#include "sim/diagnosis/standstill.h"

#include <algorithm>
#include <bit>

#include "sim/async/engine.h"
#include "sim/diagnosis/waiting.h"
#include "sim/machine/grid.h"

namespace sim::hazards {
namespace {

/// In its first phase, and only threads that now wait for it have arrived on it.
bool untouched(const events::Mbarrier& barrier, const std::vector<Waiting>& all) {
    const auto& clock = *static_cast<const MbarrierClock*>(barrier.kept.get());
    const auto waits = [&](const auto& by) {
        return std::ranges::any_of(all, [&](const Waiting& one) {
            const WarpClock& own = WarpState::of(*one.warp).clock;
            return one.asked == &barrier && own.block == by.block && own.warp == by.warp;
        });
    };
    return barrier.phase == 0 && !barrier.expects && clock.issued.empty() &&
           std::ranges::all_of(clock.arrivers, waits) && std::ranges::all_of(clock.arrived, waits);
}

/// The mbarrier that these threads wait for, if that is for its first phase, which has lacked everything so far.
const events::Mbarrier* untouched_barrier(const Waiting& one, const std::vector<Waiting>& all) {
    const machine::Wait& wait = one.fragment->wait;
    const bool one_barrier = !wait.id || !(wait.phase & async::parity_question); // tokens of one phase differ
    return one.asked && one_barrier && untouched(*one.asked, all) ? one.asked : nullptr;
}

/// Waits for a first phase to write something, and has never waited there before.
bool is_producer(const Context& context, const Waiting& one, const std::vector<Waiting>& all, bool by_stores) {
    const events::Mbarrier* barrier = untouched_barrier(one, all);
    return barrier && context.intent.produces_next(one.pc, by_stores) &&
           !WarpState::of(*one.warp).history.has_passed(one.mask, barrier->id);
}

bool at_block_barrier(const Waiting& one) {
    return one.fragment->wait.kind == machine::Wait::Kind::barrier;
}

/// Threads that the block barrier at which `one` waits lacks, and that may still come to it.
uint32_t may_come(const Context& context, const Waiting& one, const std::vector<Waiting>& all) {
    const uint32_t id = one.fragment->wait.id;
    uint32_t lanes = 0;
    for (const Waiting& other : all)
        if (&other.warp->block == &one.warp->block && !(at_block_barrier(other) && other.fragment->wait.id == id) &&
            ahead(other, [&](const machine::DecodedFunction& function, uint32_t pc) {
                const Flow& flow = context.intent.flow(function);
                return flow.may_meet(pc, id) || flow.meets(pc, id); // there, it waits for lanes of its warp
            }))
            lanes += uint32_t(std::popcount(other.mask));
    return lanes;
}

uint32_t missing_at_barrier(const Waiting& one) {
    const machine::NamedBarrier& barrier = one.warp->block.barriers[one.fragment->wait.id];
    const uint32_t gone = barrier.counted ? 0 : one.warp->block.exited;
    return barrier.expected - std::min(barrier.expected, barrier.arrived + gone);
}

/// Waits at a block barrier for threads that wait for the phase of an mbarrier: those are to blame, or whoever they
/// wait for.
bool held_up(const Context& context, const Waiting& one, const std::vector<Waiting>& all) {
    return at_block_barrier(one) && may_come(context, one, all) >= missing_at_barrier(one);
}

std::optional<ProducerWaitsFirst> find(const Context& context, const std::vector<Waiting>& all, bool by_stores) {
    const ArrivalTargets targets(context);
    ProducerWaitsFirst found;
    std::vector<const Waiting*> producers;
    for (const Waiting& one : all) {
        if (!is_producer(context, one, all, by_stores))
            continue;
        if (found.pc && context.places.kernel_line(found.pc) != context.places.kernel_line(one.pc))
            return std::nullopt;
        if (!found.pc) {
            found.pc = one.pc;
            found.init_pc = static_cast<const MbarrierClock*>(one.asked->kept.get())->init_pc;
            found.barrier = context.barriers.of(one.asked->id);
            found.call = context.places.library_call(one.pc);
            found.by_parity = context.intent.asks_parity(one.pc);
            found.arrived_itself = !static_cast<const MbarrierClock*>(one.asked->kept.get())->arrivers.empty();
        }
        found.producers.add(one.warp->block.linear, one.warp->id * 32, one.mask);
        producers.push_back(&one);
    }
    for (const Waiting& one : all) {
        if (std::ranges::find(producers, one.warp, &Waiting::warp) != producers.end())
            continue; // what the other lanes of that warp do depends on it
        if (!context.intent.arrives_later(one.pc) || held_up(context, one, all))
            continue; // it has done its part, or would but for others that are looked at
        const events::Mbarrier* barrier = untouched_barrier(one, all);
        if (!barrier || std::ranges::none_of(producers, [&](const Waiting* producer) {
                return targets.may_arrive(*producer, *barrier);
            }))
            return std::nullopt; // somebody else may be to blame, or the producers would not arrive there, either
        if (!found.consumer_pc) {
            found.consumer_pc = one.pc;
            found.awaited = context.barriers.of(barrier->id);
        }
        found.consumers.add(one.warp->block.linear, one.warp->id * 32, one.mask);
    }
    return found.pc && found.consumer_pc ? std::optional(std::move(found)) : std::nullopt;
}

const async::Mbarrier* state_of(const events::Mbarrier& barrier) {
    return async::Engine::of(*barrier.owner).barriers().find(barrier.offset);
}

/// Without .noinc, copies have added to the count what they arrive.
bool counts(const MbarrierClock::Arrived& one, const async::Mbarrier* state) {
    return !one.by_copies || (state && !state->added);
}

std::optional<StuckPhase::Why> lacking(const events::Mbarrier& barrier) {
    const auto& clock = *static_cast<const MbarrierClock*>(barrier.kept.get());
    const async::Mbarrier* state = state_of(barrier);
    if (!state || !state->pending)
        return barrier.expects ? std::optional(StuckPhase::Why::bytes) : std::nullopt;
    const bool made = std::ranges::any_of(clock.arrived, [&](const auto& one) { return counts(one, state); });
    if (state->pending < state->expected + state->added) // later phases: the count fitted the first one
        return barrier.phase == 0 && made ? std::optional(StuckPhase::Why::arrivals) : std::nullopt;
    return barrier.expects || clock.issued_bytes ? std::optional(StuckPhase::Why::no_arrival) : std::nullopt;
}

/// Has the warp arrived in the phase that is not complete? Then it has done its part.
bool has_arrived(const MbarrierClock& clock, const machine::Warp& warp) {
    const WarpClock& by = WarpState::of(warp).clock;
    return std::ranges::any_of(clock.arrived,
                               [&](const auto& one) { return one.block == by.block && one.warp == by.warp; });
}

/// Can a block's peers have been responsible for the missing bytes, by multicast copies of their own?
bool peers_bring_bytes(const Context& context, const MbarrierClock& clock) {
    return std::ranges::any_of(clock.issued, [&](const auto& one) {
        const BulkOp* op = context.ordering.bulk.find_epoch(one.copy);
        return op && (effects_at(context.places, op->pc) & machine::effect::multicast);
    });
}

/// Who has arrived on an mbarrier, in whatever phase, and where.
void add_arrivers(const Context& context, const MbarrierClock& clock, ThreadSet& threads, std::vector<uint32_t>& pcs) {
    for (const auto& one : clock.arrivers) {
        threads.add(one.block - context.ordering.operations.base(), one.warp * 32, one.mask);
        const auto same_line = [&](uint32_t pc) {
            return context.places.kernel_line(pc) == context.places.kernel_line(one.pc);
        };
        if (std::ranges::none_of(pcs, same_line)) // copies of an unrolled loop are one place
            pcs.push_back(one.pc);
    }
}

const machine::Block* block_of_number(const Context& context, uint64_t number) {
    for (const auto& block : context.grid->resident)
        if (BlockState::of(*block).id == number)
            return block.get();
    return nullptr;
}

/// A commit that a thread of the same pair of blocks has executed, and whose mask leaves this block out.
CommitBeside commit_beside(const Context& context, const events::Mbarrier& barrier) {
    const machine::Block& owner = *barrier.owner;
    const auto* commit = context.ordering.commits.find_if([&](uint64_t by, const TensorCommits::Commit& one) {
        if (one.group != 2 || one.offset != barrier.offset || (one.ranks >> owner.cluster_rank & 1))
            return false;
        const machine::Block* block = block_of_number(context, by);
        return block && block->cluster == owner.cluster && block->cluster_rank / 2 == owner.cluster_rank / 2;
    });
    return commit ? CommitBeside{commit->pc, commit->ranks, owner.cluster_rank} : CommitBeside{};
}

bool has_overrun(const events::Mbarrier& barrier) {
    const auto& clock = *static_cast<const MbarrierClock*>(barrier.kept.get());
    return clock.waited + 2 <= barrier.phase;
}

/// Has a wait of those who arrived returned at once, for a phase that was over? Then they have run ahead because of it.
bool arrivers_ran_ahead(const Context& context, const MbarrierClock& clock) {
    return std::ranges::any_of(clock.arrivers, [&](const auto& one) {
        const WarpState* warp = context.blocks.warp(one.block, one.warp);
        return warp && std::ranges::any_of(warp->history.phase_waits,
                                           [](const PhaseWait& wait) { return wait.barrier && wait.again; });
    });
}

/// The wait at a block barrier to which no other thread is left to come.
std::optional<HopelessWait> at_barrier(const Context& context, const Waiting& one, const std::vector<Waiting>& all) {
    const uint32_t id = one.fragment->wait.id, missing = missing_at_barrier(one);
    if (!missing || may_come(context, one, all) >= missing)
        return std::nullopt;
    const machine::Block& block = one.warp->block;
    HopelessWait found;
    found.what_for = HopelessWait::For::block_barrier;
    found.id = id;
    found.pc = one.pc;
    found.count = block.barriers[id].expected;
    found.whole_block = !block.barriers[id].counted;
    found.missing = missing;
    found.exited = block.exited;
    for (const Waiting& other : all) {
        if (&other.warp->block != &block)
            continue;
        const bool here = at_block_barrier(other) && other.fragment->wait.id == id;
        (here ? found.waiting : found.elsewhere).add(block.linear, other.warp->id * 32, other.mask);
        if (!here && !found.elsewhere_pc)
            found.elsewhere_pc = other.pc;
    }
    return found;
}

/// The wait for a phase that lacks arrivals, and no thread is left that could arrive.
std::optional<HopelessWait> for_phase(const Context& context, const Waiting& one, const std::vector<Waiting>& all) {
    const auto& clock = *static_cast<const MbarrierClock*>(one.asked->kept.get());
    const async::Mbarrier* barrier = state_of(*one.asked);
    const ArrivalTargets targets(context);
    if (!barrier || !barrier->pending || has_overrun(*one.asked) || std::ranges::any_of(all, [&](const Waiting& other) {
            return other.asked != one.asked && targets.may_arrive(other, *one.asked);
        }))
        return std::nullopt;
    HopelessWait found;
    found.barrier = context.barriers.of(one.asked->id);
    found.pc = one.pc;
    found.init_pc = clock.init_pc;
    found.missing = barrier->pending;
    found.count = barrier->expected;
    found.waiting = waiting_for(*one.asked, all);
    found.call = context.places.library_call(one.pc);
    found.commit = commit_beside(context, *one.asked);
    add_arrivers(context, clock, found.arrived, found.pcs);
    return found;
}

/// Lanes that have arrived in the phase that is not complete.
uint32_t lanes_arrived(const MbarrierClock& clock, const machine::Warp& warp) {
    const WarpClock& by = WarpState::of(warp).clock;
    uint32_t lanes = 0;
    for (const auto& one : clock.arrived)
        if (one.block == by.block && one.warp == by.warp && !one.by_copies)
            lanes |= one.mask;
    return lanes;
}

/// `one` waits for a phase that lacks some arrivals. Do exactly as many threads wait at one place together with those
/// that have arrived, and for the same, without having arrived themselves?
std::optional<SkippedArrival> skipped(const Context& context, const Waiting& one, uint32_t missing,
                                      const std::vector<Waiting>& all) {
    const events::Mbarrier& barrier = *one.asked;
    const auto& clock = *static_cast<const MbarrierClock*>(barrier.kept.get());
    const auto together = [&](const Waiting& a, const Waiting& b) {
        return a.asked && a.asked == b.asked && a.asked != &barrier &&
               context.places.kernel_line(a.pc) == context.places.kernel_line(b.pc);
    };
    for (const Waiting& peer : all) {
        const uint32_t arrived = lanes_arrived(clock, *peer.warp) & peer.mask;
        if (!arrived)
            continue;
        uint32_t lanes = 0; // of a warp that arrive: all, or an elected one
        for (const Waiting& other : all)
            if (together(other, peer))
                lanes |= lanes_arrived(clock, *other.warp) & other.mask;
        SkippedArrival found;
        uint32_t count = 0;
        for (const Waiting& other : all) {
            const uint32_t made = lanes_arrived(clock, *other.warp), left = other.mask & lanes & ~made;
            if (!together(other, peer))
                continue;
            found.arrived.add(other.warp->block.linear, other.warp->id * 32, other.mask & made);
            found.skipped.add(other.warp->block.linear, other.warp->id * 32, left);
            count += uint32_t(std::popcount(left));
            found.skipped_pc = left ? other.pc : found.skipped_pc;
        }
        const Arrival* arrival =
            WarpState::of(*peer.warp).history.arrival(uint32_t(std::countr_zero(arrived)), [&](const Arrival& made) {
                return made.barrier == barrier.id && made.phase == barrier.phase && !made.tracks;
            });
        if (count != missing || !arrival)
            continue;
        found.barrier = context.barriers.of(barrier.id);
        found.awaited = context.barriers.of(peer.asked->id);
        found.call = context.places.library_call(one.pc);
        found.pc = one.pc;
        found.arrive_pc = arrival->pc;
        found.missing = missing;
        found.count = barrier.count;
        found.phase = barrier.phase;
        found.waiting = waiting_for(barrier, all);
        return found;
    }
    return std::nullopt;
}

} // namespace

std::optional<PhasesOverrun> phases_overrun(const Context& context) {
    const std::vector<Waiting> all = all_that_wait(*context.grid);
    for (const Waiting& one : all) {
        if (!one.asked)
            continue;
        const auto& clock = *static_cast<const MbarrierClock*>(one.asked->kept.get());
        if (clock.anew || !has_overrun(*one.asked) || clock.arrivers.empty() || arrivers_ran_ahead(context, clock))
            continue;
        PhasesOverrun found;
        found.barrier = context.barriers.of(one.asked->id);
        found.pc = one.pc;
        found.init_pc = clock.init_pc;
        found.count = one.asked->count;
        found.first = clock.waited;
        found.last = one.asked->phase - 1;
        found.waiting = waiting_for(*one.asked, all);
        found.call = context.places.library_call(one.pc);
        const async::Mbarrier* barrier = state_of(*one.asked);
        found.made = uint64_t{one.asked->phase} * one.asked->count + (barrier ? barrier->arrivals : 0);
        add_arrivers(context, clock, found.arrived, found.pcs);
        return found;
    }
    return std::nullopt;
}

std::optional<HopelessWait> hopeless_wait(const Context& context) {
    const std::vector<Waiting> all = all_that_wait(*context.grid);
    for (const Waiting& one : all)
        if (at_block_barrier(one))
            if (auto found = at_barrier(context, one, all))
                return found;
    for (const Waiting& one : all)
        if (one.asked)
            if (auto found = for_phase(context, one, all))
                return found;
    return std::nullopt;
}

std::optional<StuckPhase> stuck_phase(const Context& context) {
    const std::vector<Waiting> all = all_that_wait(*context.grid);
    const ArrivalTargets targets(context);
    for (const Waiting& waits : all) {
        const events::Mbarrier* barrier = waits.asked;
        const auto why = barrier ? lacking(*barrier) : std::nullopt;
        if (!why)
            continue;
        const auto& clock = *static_cast<const MbarrierClock*>(barrier->kept.get());
        if (clock.anew)
            continue; // the cause is another
        // Bytes come with copies: whoever only arrives cannot bring them.
        const bool lacks_bytes = *why == StuckPhase::Why::bytes;
        if (std::ranges::any_of(all, [&](const Waiting& one) {
                return one.asked != barrier && !has_arrived(clock, *one.warp) &&
                       (lacks_bytes ? context.intent.copies_later(one.pc)
                                    : context.intent.arrives_later(one.pc) && targets.may_arrive(one, *barrier));
            }))
            continue;
        StuckPhase found{*why, context.barriers.of(barrier->id), barrier->count, clock.init_pc, {}};
        found.pc = waits.pc;
        found.waiting = waiting_for(*barrier, all);
        found.call = context.places.library_call(found.pc);
        found.multicast = lacks_bytes && peers_bring_bytes(context, clock);
        found.commit = commit_beside(context, *barrier);
        if (const auto* state = state_of(*barrier)) {
            found.announced = state->expected_bytes;
            found.missing = state->tx;
        }
        for (const auto& one : clock.arrived)
            if (counts(one, state_of(*barrier)))
                found.arrived.add(one.block - context.ordering.operations.base(), one.warp * 32, one.mask);
        for (const auto& one : clock.arrivers)
            if (std::ranges::find(found.pcs, one.pc) == found.pcs.end() &&
                (*why != StuckPhase::Why::bytes || (effects_at(context.places, one.pc) & machine::effect::expects)))
                found.pcs.push_back(one.pc);
        return found;
    }
    return std::nullopt;
}

std::optional<SkippedArrival> skipped_arrival(const Context& context) {
    const std::vector<Waiting> all = all_that_wait(*context.grid);
    for (const Waiting& one : all)
        if (const async::Mbarrier* state = one.asked ? state_of(*one.asked) : nullptr; state && state->pending)
            if (auto found = skipped(context, one, state->pending, all))
                return found;
    return std::nullopt;
}

std::optional<ProducerWaitsFirst> producer_waits_first(const Context& context) {
    const std::vector<Waiting> all = all_that_wait(*context.grid);
    auto found = find(context, all, false);
    return found ? std::move(found) : find(context, all, true);
}

} // namespace sim::hazards
