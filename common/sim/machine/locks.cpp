#include "sim/machine/locks.h"

#include <bit>

#include <fmt/format.h>

#include "sim/machine/grid.h"
#include "sim/machine/names.h"

namespace sim::machine {

Locks::Use& Locks::of(uint32_t lane) {
    if (uses_.empty())
        uses_.resize(32);
    return uses_[lane];
}

void Locks::take(uint32_t lane, const std::byte* at, uint32_t pc) {
    of(lane) = {.taken = at, .taken_pc = pc};
}

void Locks::release(uint32_t lane, const std::byte* at) {
    if (Use& use = of(lane); use.taken == at)
        use = {};
}

void Locks::want(uint32_t lane, const std::byte* at, uint64_t address, bool shared) {
    Use& use = of(lane);
    use.wanted = at;
    use.address = address;
    use.shared = shared;
}

LockSpin spin_on_lock(const Grid& grid, const Warp& warp, uint32_t mask) {
    const auto first = uint32_t(std::countr_zero(mask));
    const Locks::Use* asks = warp.locks.use(first);
    if (!asks || !asks->wanted)
        return {};
    const std::string name =
        asks->shared ? shared_name(warp.block, uint32_t(asks->address)) : global_name(grid, asks->address);
    LockSpin spin{fmt::format("asks again and again for {}", name.empty() ? "a lock" : name)};
    for (const auto& block : grid.resident)
        for (const auto& holder : block->warps)
            for (const auto& fragment : holder->fragments)
                for (uint32_t rest = fragment.mask; rest; rest &= rest - 1) {
                    const auto lane = uint32_t(std::countr_zero(rest));
                    const Locks::Use* use = holder->locks.use(lane);
                    if (!use || use->taken != asks->wanted)
                        continue;
                    const auto* function = fragment.frame->function;
                    spin.in_warp = holder.get() == &warp && (fragment.wait.kind == Wait::Kind::collective ||
                                                             function->ops[fragment.pc].does(effect::warp_barrier));
                    spin.text += fmt::format(", which thread {} of block {} has taken; that thread is at {}",
                                             holder->id * 32 + lane, block->linear, grid.where(*function, fragment.pc));
                    spin.text += fragment.wait.kind == Wait::Kind::none || fragment.wait.kind == Wait::Kind::sleep
                                     ? std::string()
                                     : ": " + grid.waits_for(*block, *holder, fragment);
                    return spin;
                }
    return spin;
}

} // namespace sim::machine
