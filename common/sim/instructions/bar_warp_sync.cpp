#include "sim/instructions/operands.h"

namespace sim::instructions {
namespace {

Flow sync(Exec& x, const Op& op) {
    // The groups of a tiled partition come here together, each with a mask of its own.
    const uint32_t* members = x.lanes<uint32_t>(op.a);
    const uint32_t alive = x.warp.alive();
    uint32_t first = 0, groups[32], count = 0;
    bool complete = true;
    for (uint32_t rest = x.mask; rest;) {
        const uint32_t member = members[std::countr_zero(rest)];
        uint32_t same = 0;
        for_lanes(rest, [&](int lane) { same |= uint32_t(members[lane] == member) << lane; });
        rest &= ~same;
        first = count ? first : same;
        complete = complete && (member & alive & ~same) == 0;
        groups[count++] = member & alive;
    }
    if (complete) {
        x.fragment().wait = {};
        for (uint32_t i = 0; i < count && x.observer; ++i)
            x.observer->warp_sync(x.warp, groups[i]);
        return Flow::next;
    }
    const uint32_t pc = x.fragment().pc;
    if (count > 1) { // one group at a time
        x.warp.split(x.fragment_index, x.mask & ~first, pc);
        x.mask = first;
    }
    if (!gather(x, op, members[std::countr_zero(first)]))
        return Flow::block;
    if (x.observer)
        x.observer->warp_sync(x.warp, groups[0]);
    if (count == 1)
        return Flow::next;
    x.fragment().pc = pc + 1;
    return Flow::branch;
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
