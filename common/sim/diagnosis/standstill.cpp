#include "sim/diagnosis/standstill.h"

#include <algorithm>
#include <bit>

#include "sim/async/engine.h"
#include "sim/machine/grid.h"

namespace sim::hazards {
namespace {

struct Waiting {
    const machine::Warp* warp;
    const machine::Fragment* fragment;
    uint32_t mask, pc;
    const events::Mbarrier* asked;   ///< that it waits for; nullptr: it waits for something else
    const events::Mbarrier* barrier; ///< the same, if it waits for the first phase, and no thread has arrived on it
};

/// In its first phase, and no other warp than this one has arrived on it.
bool untouched(const events::Mbarrier& barrier, const machine::Warp& warp) {
    const auto& clock = *static_cast<const MbarrierClock*>(barrier.kept.get());
    const WarpClock& own = WarpState::of(warp).clock;
    const auto by_others = [&](const auto& one) { return one.block != own.block || one.warp != own.warp; };
    return barrier.phase == 0 && !barrier.expects && clock.issued.empty() &&
           std::ranges::none_of(clock.arrivers, by_others) && std::ranges::none_of(clock.arrived, by_others);
}

const events::Mbarrier* asked(const BlockState& block, const machine::Fragment& fragment) {
    if (fragment.wait.asks_mbarrier())
        for (const auto& live : block.barrier_memory.live)
            if (live.offset == fragment.wait.address)
                return live.barrier;
    return nullptr;
}

const events::Mbarrier* awaited(const BlockState& block, const machine::Warp& warp, const machine::Fragment& fragment) {
    const events::Mbarrier* barrier = fragment.wait.id ? nullptr : asked(block, fragment);
    return barrier && untouched(*barrier, warp) ? barrier : nullptr;
}

std::vector<Waiting> all_that_wait(const machine::Grid& grid) {
    std::vector<Waiting> all;
    for (const auto& block : grid.resident)
        for (const auto& warp : block->warps)
            for (const auto& fragment : warp->fragments)
                all.push_back({warp.get(), &fragment, fragment.mask, fragment.frame->function->first_pc + fragment.pc,
                               asked(BlockState::of(*block), fragment),
                               awaited(BlockState::of(*block), *warp, fragment)});
    return all;
}

/// Waits for a first phase to write something, and has never waited there before.
bool is_producer(const Context& context, const Waiting& one, bool by_stores) {
    return one.barrier && context.intent.produces_next(one.pc, by_stores) &&
           !WarpState::of(*one.warp).history.has_passed(one.mask, one.barrier->id);
}

bool at_block_barrier(const Waiting& one) {
    return one.fragment->wait.kind == machine::Wait::Kind::barrier;
}

/// Asks about where the lanes are, and about the places to which they will return.
template <class F>
bool ahead(const Context& context, const Waiting& one, F&& may) {
    uint32_t pc = one.fragment->pc;
    for (const machine::Frame* frame = one.fragment->frame; frame; frame = frame->parent) {
        if (may(context.intent.flow(*frame->function), pc))
            return true;
        if (frame->parent)
            pc = uint32_t(frame->call - frame->parent->function->ops.data());
    }
    return false;
}

/// Threads that the block barrier at which `one` waits lacks, and that may still come to it.
uint32_t may_come(const Context& context, const Waiting& one, const std::vector<Waiting>& all) {
    const uint32_t id = one.fragment->wait.id;
    uint32_t lanes = 0;
    for (const Waiting& other : all)
        if (&other.warp->block == &one.warp->block && !(at_block_barrier(other) && other.fragment->wait.id == id) &&
            ahead(context, other, [id](const Flow& flow, uint32_t pc) { return flow.may_meet(pc, id); }))
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
    ProducerWaitsFirst found;
    std::vector<const machine::Warp*> producers;
    for (const Waiting& one : all) {
        if (!is_producer(context, one, by_stores))
            continue;
        if (found.pc && context.places.kernel_line(found.pc) != context.places.kernel_line(one.pc))
            return std::nullopt;
        if (!found.pc) {
            found.pc = one.pc;
            found.init_pc = static_cast<const MbarrierClock*>(one.barrier->kept.get())->init_pc;
            found.barrier = context.barriers.of(one.barrier->id);
            found.call = context.places.library_call(one.pc);
            found.arrived_itself = !static_cast<const MbarrierClock*>(one.barrier->kept.get())->arrivers.empty();
        }
        found.producers.add(one.warp->block.linear, one.warp->id * 32, one.mask);
        producers.push_back(one.warp);
    }
    for (const Waiting& one : all) {
        if (std::ranges::find(producers, one.warp) != producers.end())
            continue; // what the other lanes of that warp do depends on it
        if (!context.intent.arrives_later(one.pc) || held_up(context, one, all))
            continue; // it has done its part, or would but for others that are looked at
        if (!one.barrier)
            return std::nullopt; // somebody else may be to blame
        if (!found.consumer_pc) {
            found.consumer_pc = one.pc;
            found.awaited = context.barriers.of(one.barrier->id);
        }
        found.consumers.add(one.warp->block.linear, one.warp->id * 32, one.mask);
    }
    return found.pc && found.consumer_pc ? std::optional(std::move(found)) : std::nullopt;
}

/// Arrivals by instructions in the phase that is not complete.
uint32_t arrivals(const MbarrierClock& clock) {
    uint32_t made = 0;
    for (const auto& one : clock.arrived)
        made += uint32_t(std::popcount(one.mask));
    return made;
}

std::optional<StuckPhase::Why> lacking(const events::Mbarrier& barrier) {
    const auto& clock = *static_cast<const MbarrierClock*>(barrier.kept.get());
    const uint32_t made = arrivals(clock);
    if (made >= barrier.count)
        return barrier.expects ? std::optional(StuckPhase::Why::bytes) : std::nullopt;
    if (made) // later phases: the first one was complete, so the count is not wrong
        return barrier.phase == 0 ? std::optional(StuckPhase::Why::arrivals) : std::nullopt;
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

ThreadSet waiting_for(const events::Mbarrier& barrier, const std::vector<Waiting>& all) {
    ThreadSet threads;
    for (const Waiting& one : all)
        if (one.asked == &barrier)
            threads.add(one.warp->block.linear, one.warp->id * 32, one.mask);
    return threads;
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
    const async::Mbarrier* barrier = async::Engine::of(*one.asked->owner).barriers().find(one.asked->offset);
    if (!barrier || !barrier->pending || has_overrun(*one.asked) || std::ranges::any_of(all, [&](const Waiting& other) {
            return other.asked != one.asked &&
                   ahead(context, other, [](const Flow& flow, uint32_t pc) { return flow.may_arrive(pc); });
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
        const async::Mbarrier* barrier = async::Engine::of(*one.asked->owner).barriers().find(one.asked->offset);
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
    for (const auto& block : context.grid->resident)
        for (const auto& warp : block->warps)
            for (const auto& fragment : warp->fragments) {
                const events::Mbarrier* barrier = asked(BlockState::of(*block), fragment);
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
                                            : context.intent.arrives_later(one.pc));
                    }))
                    continue;
                StuckPhase found{*why, context.barriers.of(barrier->id), barrier->count, clock.init_pc, {}};
                found.pc = fragment.frame->function->first_pc + fragment.pc;
                found.waiting = waiting_for(*barrier, all);
                found.call = context.places.library_call(found.pc);
                found.multicast = lacks_bytes && peers_bring_bytes(context, clock);
                found.commit = commit_beside(context, *barrier);
                if (const auto* state = async::Engine::of(*barrier->owner).barriers().find(barrier->offset)) {
                    found.announced = state->expected_bytes;
                    found.missing = state->tx;
                }
                for (const auto& one : clock.arrived)
                    found.arrived.add(one.block - context.ordering.operations.base(), one.warp * 32, one.mask);
                for (const auto& one : clock.arrivers)
                    if (std::ranges::find(found.pcs, one.pc) == found.pcs.end() &&
                        (*why != StuckPhase::Why::bytes ||
                         (effects_at(context.places, one.pc) & machine::effect::expects)))
                        found.pcs.push_back(one.pc);
                return found;
            }
    return std::nullopt;
}

std::optional<ProducerWaitsFirst> producer_waits_first(const Context& context) {
    const std::vector<Waiting> all = all_that_wait(*context.grid);
    auto found = find(context, all, false);
    return found ? std::move(found) : find(context, all, true);
}

} // namespace sim::hazards
