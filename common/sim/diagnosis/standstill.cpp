#include "sim/diagnosis/standstill.h"

#include <algorithm>
#include <bit>

#include "sim/machine/grid.h"

namespace sim::hazards {
namespace {

struct Waiting {
    const machine::Warp* warp;
    uint32_t mask, pc;
    const events::Mbarrier* asked;   ///< that it waits for; nullptr: it waits for something else
    const events::Mbarrier* barrier; ///< the same, if it waits for the first phase, and no thread has arrived on it
};

bool untouched(const events::Mbarrier& barrier) {
    const auto& clock = *static_cast<const MbarrierClock*>(barrier.kept.get());
    return barrier.phase == 0 && !barrier.expects && clock.arrivers.empty() && clock.arrived.empty() &&
           clock.issued.empty();
}

const events::Mbarrier* asked(const BlockState& block, const machine::Fragment& fragment) {
    if (fragment.wait.asks_mbarrier())
        for (const auto& live : block.barrier_memory.live)
            if (live.offset == fragment.wait.address)
                return live.barrier;
    return nullptr;
}

const events::Mbarrier* awaited(const BlockState& block, const machine::Fragment& fragment) {
    const events::Mbarrier* barrier = fragment.wait.id ? nullptr : asked(block, fragment);
    return barrier && untouched(*barrier) ? barrier : nullptr;
}

std::vector<Waiting> all_that_wait(const machine::Grid& grid) {
    std::vector<Waiting> all;
    for (const auto& block : grid.resident)
        for (const auto& warp : block->warps)
            for (const auto& fragment : warp->fragments)
                all.push_back({warp.get(), fragment.mask, fragment.frame->function->first_pc + fragment.pc,
                               asked(BlockState::of(*block), fragment), awaited(BlockState::of(*block), fragment)});
    return all;
}

/// Waits for a first phase to write something, and has never waited there before.
bool is_producer(const Context& context, const Waiting& one, bool by_stores) {
    return one.barrier && context.intent.produces_next(one.pc, by_stores) &&
           !WarpState::of(*one.warp).history.has_passed(one.mask, one.barrier->id);
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
        }
        found.producers.add(one.warp->block.linear, one.warp->id * 32, one.mask);
        producers.push_back(one.warp);
    }
    for (const Waiting& one : all) {
        if (std::ranges::find(producers, one.warp) != producers.end())
            continue; // what the other lanes of that warp do depends on it
        if (!context.intent.arrives_later(one.pc))
            continue; // it has done its part
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

} // namespace

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
                if (clock.anew || (*why == StuckPhase::Why::bytes && peers_bring_bytes(context, clock)))
                    continue; // the cause is another
                if (std::ranges::any_of(all, [&](const Waiting& one) {
                        return one.asked != barrier && context.intent.arrives_later(one.pc) &&
                               !has_arrived(clock, *one.warp);
                    }))
                    continue;
                StuckPhase found{*why, context.barriers.of(barrier->id), barrier->count, clock.init_pc, {}};
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
