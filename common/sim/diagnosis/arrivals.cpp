// Whether an mbarrier's count fits those who arrive.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "sim/diagnosis/conflict.h"

namespace sim::hazards {

std::optional<ArrivalCount> too_many_arrive(const events::Mbarrier& barrier, uint64_t first_block) {
    const auto& clock = *static_cast<const MbarrierClock*>(barrier.kept.get());
    if (!clock.arrived_unwaited)
        return std::nullopt;
    ArrivalCount count{barrier.count, clock.init_pc, {}, {}, {}};
    std::map<std::pair<uint64_t, uint32_t>, uint32_t> lanes;
    for (const auto& one : clock.arrivers) {
        lanes[{one.block, one.warp}] |= one.mask;
        count.warps.insert({one.block, one.warp});
        count.threads.add(one.block - first_block, one.warp * 32, one.mask);
        if (std::ranges::find(count.pcs, one.pc) == count.pcs.end())
            count.pcs.push_back(one.pc);
    }
    size_t threads = 0;
    for (const auto& [warp, mask] : lanes)
        threads += size_t(std::popcount(mask));
    return threads > barrier.count ? std::optional(std::move(count)) : std::nullopt;
}

std::optional<ArrivalCount> Conflict::too_many_arrive(uint32_t barrier) const {
    const events::Mbarrier* live = context_.blocks.mbarrier(barrier);
    return live ? hazards::too_many_arrive(*live, context_.ordering.operations.base()) : std::nullopt;
}

uint32_t Conflict::issuer_waited_on() const {
    const PhaseWait* wait = nullptr;
    if (role == Role::async_write || role == Role::copy_destination)
        wait = &phase_wait();
    else if (reads() && bulk_ && bulk_->issuer && !bulk_->op->matrix)
        wait = &bulk_->issuer->history.phase_waits[bulk_->op->lane];
    else if (reads() && copy_ && copy_->issuer)
        wait = &copy_->issuer->history.phase_waits[copy_->lane];
    if (!wait || !wait->barrier || wait->again || wait->before_first())
        return 0;
    const events::Mbarrier* barrier = context_.blocks.mbarrier(wait->barrier);
    return barrier ? static_cast<const MbarrierClock*>(barrier->kept.get())->init_pc : 0;
}

std::optional<CompletedPhase> Conflict::completed_phase() const {
    const PhaseWait& wait = phase_wait();
    const events::Mbarrier* live = wait.barrier ? context_.blocks.mbarrier(wait.barrier) : nullptr;
    if (!live || live->phase != wait.phase + 1)
        return std::nullopt;
    const auto& clock = *static_cast<const MbarrierClock*>(live->kept.get());
    CompletedPhase phase;
    phase.expected = live->expected_before;
    phase.issued = clock.issued_before;
    std::set<std::pair<uint64_t, uint32_t>> warps;
    for (const auto& one : clock.arrived_before) {
        if (one.by_copies)
            continue;
        phase.arrived.add(one.block - context_.ordering.operations.base(), one.warp * 32, one.mask);
        phase.other_blocks = phase.other_blocks || one.block != clock.block;
        warps.insert({one.block, one.warp});
    }
    std::set<uint32_t> arrivals, announcements;
    for (const auto& one : clock.arrivers)
        if (warps.contains({one.block, one.warp})) {
            arrivals.insert(one.pc);
            if (effects_at(context_.places, one.pc) & machine::effect::expects)
                announcements.insert(one.pc);
        }
    if (arrivals.size() == 1)
        phase.arrived_pc = *arrivals.begin();
    if (announcements.size() == 1)
        phase.announced_pc = *announcements.begin();
    return phase;
}

std::string text(const ArrivalCount& count) {
    return fmt::format("{} arrive on it, and mbarrier.init counts only {} arrival{} in a phase: a phase is over "
                       "before all of them have arrived",
                       count.threads.text(), count.counted, count.counted == 1 ? "" : "s");
}

} // namespace sim::hazards
