#include "sim/diagnosis/waiting.h"

#include <algorithm>

#include "sim/async/engine.h"
#include "sim/machine/grid.h"

namespace sim::hazards {

namespace {

const events::Mbarrier* asked(const BlockState& block, const machine::Fragment& fragment) {
    if (fragment.wait.asks_mbarrier())
        for (const auto& live : block.barrier_memory.live)
            if (live.offset == fragment.wait.address)
                return live.barrier;
    return nullptr;
}

/// An arrival that a phase can lack. Without .noinc, the arrival of a thread's copies adds to the count what it takes.
bool is_arrival(const machine::Op& op) {
    namespace effect = machine::effect;
    return op.does(effect::arrives) && (!op.does(effect::copy_group) || op.does(effect::counted));
}

} // namespace

std::vector<Waiting> all_that_wait(const machine::Grid& grid) {
    std::vector<Waiting> all;
    for (const auto& block : grid.resident)
        for (const auto& warp : block->warps)
            for (const auto& fragment : warp->fragments)
                all.push_back({warp.get(), &fragment, fragment.mask, fragment.frame->function->first_pc + fragment.pc,
                               asked(BlockState::of(*block), fragment)});
    return all;
}

ThreadSet waiting_for(const events::Mbarrier& barrier, const std::vector<Waiting>& all) {
    ThreadSet threads;
    for (const Waiting& one : all)
        if (one.asked == &barrier)
            threads.add(one.warp->block.linear, one.warp->id * 32, one.mask);
    return threads;
}

ArrivalTargets::ArrivalTargets(const Context& context) : context_(context) {
    for (const auto& block : context.grid->resident)
        for (const auto& live : BlockState::of(*block).barrier_memory.live) {
            const auto& clock = *static_cast<const MbarrierClock*>(live.barrier->kept.get());
            forgotten_ = forgotten_ || clock.arrivers.size() >= MbarrierClock::most_arrivers;
            for (const auto& one : clock.arrivers)
                seen_[context.places.kernel_line(one.pc)].insert(array_of(*live.barrier));
        }
}

/// "the mbarrier full"; empty: its name is not known.
std::string ArrivalTargets::array_of(const events::Mbarrier& barrier) const {
    const std::string name = context_.barriers.of(barrier.id);
    return name.find(" at ") == name.npos ? name.substr(0, name.find('[')) : "";
}

bool ArrivalTargets::may_be_on(const machine::DecodedFunction& function, uint32_t index,
                               const std::string& array) const {
    const machine::Op& op = function.ops[index];
    if (op.does(machine::effect::calls))
        return true;
    if (!is_arrival(op))
        return false;
    const uint32_t line = context_.places.kernel_line(function.first_pc + index);
    const auto known = line && !op.does(machine::effect::copy_group) ? seen_.find(line) : seen_.end();
    return known == seen_.end() || known->second.contains("") || known->second.contains(array);
}

bool ArrivalTargets::may_arrive(const Waiting& one, const events::Mbarrier& barrier) const {
    const std::string array = array_of(barrier);
    return ahead(one, [&](const machine::DecodedFunction& function, uint32_t pc) {
        const Flow& flow = context_.intent.flow(function);
        if (forgotten_ || array.empty())
            return flow.may_arrive(pc);
        return std::ranges::any_of(flow.ahead(pc), [&](uint32_t index) { return may_be_on(function, index, array); });
    });
}

} // namespace sim::hazards
