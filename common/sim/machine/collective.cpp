#include <fmt/format.h>

#include "sim/machine/exec.h"
#include "sim/machine/instruction.h"

namespace sim::machine {

bool held_back(Exec& x) {
    if (!x.grid.conductor || x.grid.conductor->may_run(x.warp, x.pc()))
        return false;
    x.fragment().wait = {};
    x.fragment().wait.kind = Wait::Kind::sleep;
    return true;
}

bool gather(Exec& x, const Op& op, uint32_t member) {
    Warp& warp = x.warp;
    const uint32_t needed = member & warp.alive();
    Fragment& here = x.fragment();
    const bool forced = here.wait.forced;
    here.wait = {};
    if ((needed & ~x.mask) == 0) {
        if (x.grid.log)
            x.grid.log->add(warp, x.mask, {.kind = events::BarrierOperation::Kind::meet, .pc = x.pc()});
        return true;
    }
    if (forced) { // nothing else can run: the others will not come
        if (x.listener) {
            const bool barrier = op.does(effect::block_barrier);
            const std::string named =
                barrier ? "" : fmt::format(", although the mask of {} names them", op.record->name);
            x.listener->misuse(&warp, x.mask, &op,
                               Stopped{Stopped::Why::lanes_missing,
                                       fmt::format("Lanes {:#010x} of warp {} of block {} wait here, but "
                                                   "lanes {:#010x} are elsewhere and will not arrive{}.",
                                                   x.mask, warp.id, warp.block.linear, needed & ~x.mask, named),
                                       barrier ? Stopped::Of::other : Stopped::Of::warp_collective});
        }
        return true;
    }
    // bar.warp.sync may be met at different places by different lanes.
    if (op.does(effect::warp_barrier)) {
        uint32_t met = x.mask;
        for (const auto& other : warp.fragments)
            if (other.wait.kind == Wait::Kind::collective && other.wait.member == member &&
                other.frame->function->ops[other.pc].record == op.record)
                met |= other.mask;
        if ((needed & ~met) == 0) {
            for (auto& other : warp.fragments)
                if (other.wait.kind == Wait::Kind::collective && other.wait.member == member &&
                    other.frame->function->ops[other.pc].record == op.record) {
                    other.wait = {};
                    ++other.pc;
                }
            if (x.grid.log)
                x.grid.log->add(warp, met, {.kind = events::BarrierOperation::Kind::meet, .pc = x.pc()});
            return true;
        }
    }
    here.wait.kind = Wait::Kind::collective;
    here.wait.member = member;
    return false;
}

} // namespace sim::machine
