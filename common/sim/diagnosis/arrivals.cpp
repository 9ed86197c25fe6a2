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
    std::optional<ArrivalCount> count;
    context_.blocks.any_of([&](const BlockState& block) {
        for (const auto& live : block.barrier_memory.live)
            if (live.barrier->id == barrier) {
                count = hazards::too_many_arrive(*live.barrier, context_.ordering.operations.base());
                return true;
            }
        return false;
    });
    return count;
}

std::string text(const ArrivalCount& count) {
    return fmt::format("{} arrive on it, and mbarrier.init counts only {} arrival{} in a phase: a phase is over "
                       "before all of them have arrived",
                       count.threads.text(), count.counted, count.counted == 1 ? "" : "s");
}

} // namespace sim::hazards
