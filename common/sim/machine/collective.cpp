#include "sim/machine/exec.h"
#include "sim/machine/instruction.h"

namespace sim::machine {

bool gather(Exec& x, const Op& op, uint32_t member) {
    Warp& warp = x.warp;
    const uint32_t needed = member & warp.alive();
    Fragment& here = x.fragment();
    const bool forced = here.wait.forced;
    here.wait = {};
    if ((needed & ~x.mask) == 0 || forced)
        return true;
    // bar.warp.sync may be met at different places by different lanes.
    if (op.record->name == "bar.warp.sync") {
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
            return true;
        }
    }
    here.wait.kind = Wait::Kind::collective;
    here.wait.member = member;
    return false;
}

} // namespace sim::machine
