#include "sim/instructions/collective.h"

namespace sim::instructions::bar_warp_sync {
namespace {

Flow sync(Exec& x, const Op& op) {
    return collective(x, op, x.lanes<uint32_t>(op.a), [&](uint32_t group) {
        if (x.listener)
            x.listener->warp_sync(x.warp, group);
    });
}

Handler decode(Decoder& d) {
    d.op.a = d.read(0, 4);
    d.function().fixed_lanes.push_back({uint32_t(d.index()), d.op.a});
    return sync;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "bar.warp.sync",
        .syntax = "bar.warp.sync membermask;",
        .isa = 60,
        .sm = 30,
        .manual = "parallel-synchronization-and-communication-instructions-bar-warp-sync",
        .decode = decode,
        .effects = {{"", effect::warp_barrier | effect::waits_at_barrier}},
    },
};

} // namespace sim::instructions::bar_warp_sync
