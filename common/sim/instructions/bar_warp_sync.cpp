#include "sim/instructions/operands.h"

namespace sim::instructions {
namespace {

Flow sync(Exec& x, const Op& op) {
    const uint32_t member = x.lanes<uint32_t>(op.a)[std::countr_zero(x.mask)];
    if (!gather(x, op, member))
        return Flow::block;
    if (x.observer)
        x.observer->warp_sync(x.warp, member & x.warp.alive());
    return Flow::next;
}

Handler decode(Decoder& d) {
    d.op.a = d.read(0, 4);
    return sync;
}

} // namespace

INSTRUCTIONS(bar_warp_sync) = {{
    .name = "bar.warp.sync",
    .syntax = "bar.warp.sync membermask;",
    .isa = 60,
    .sm = 30,
    .manual = "parallel-synchronization-and-communication-instructions-bar-warp-sync",
    .decode = decode,
}};

} // namespace sim::instructions
