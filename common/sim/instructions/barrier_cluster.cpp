#include "sim/instructions/operands.h"

namespace sim::instructions::barrier_cluster {
namespace {

Flow arrive(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    if (op.flags && x.mask != x.warp.alive() && !gather(x, op, x.warp.alive())) // .aligned: the whole warp
        return Flow::block;
    if (x.listener)
        x.listener->cluster_arrive(x.warp, x.mask, op.small);
    if (x.grid.log)
        x.grid.log->add(x.warp, x.mask, {.kind = events::BarrierOperation::Kind::cluster_arrive, .pc = x.pc()});
    x.grid.arrive_at_cluster(x.warp, x.mask);
    return Flow::next;
}

Handler decode_arrive(Decoder& d) {
    d.op.small = d.value(".sem") != ".relaxed";
    d.op.flags = d.has(".aligned");
    return arrive;
}

Flow wait(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    if (op.flags && x.mask != x.warp.alive() && !gather(x, op, x.warp.alive()))
        return Flow::block;
    const uint64_t completions = x.grid.cluster_barrier(x.block.cluster).completions;
    bool over = true;
    for_lanes(x.mask, [&](int lane) { over &= completions > x.warp.cluster_phase[size_t(lane)]; });
    if (!over) {
        x.fragment().wait.kind = Wait::Kind::cluster;
        return Flow::block;
    }
    // The next phase needs an arrival of this thread, too: without one, its next wait does not end.
    for_lanes(x.mask, [&](int lane) { x.warp.cluster_phase[size_t(lane)] = completions; });
    if (x.grid.log)
        x.grid.log->add(x.warp, x.mask, {.kind = events::BarrierOperation::Kind::cluster_wait, .pc = x.pc()});
    if (x.listener)
        x.listener->cluster_release(x.warp, x.mask, true);
    return Flow::next;
}

Handler decode_wait(Decoder& d) {
    d.op.flags = d.has(".aligned");
    return wait;
}

} // namespace

INSTRUCTIONS = {{
                    .name = "barrier.cluster.arrive",
                    .syntax = R"(
        barrier.cluster.arrive{.sem}{.aligned};
        .sem = { .release, .relaxed };
)",
                    .isa = 78,
                    .sm = 90,
                    .manual = "parallel-synchronization-and-communication-instructions-barrier-cluster",
                    .decode = decode_arrive,
                    .effects = {{"", effect::cluster_barrier}},
                },
                {
                    .name = "barrier.cluster.wait",
                    .syntax = R"(
        barrier.cluster.wait{.acquire}{.aligned};
)",
                    .isa = 78,
                    .sm = 90,
                    .manual = "parallel-synchronization-and-communication-instructions-barrier-cluster",
                    .decode = decode_wait,
                    .effects = {{"", effect::cluster_barrier | effect::waits_at_barrier}},
                }};

} // namespace sim::instructions::barrier_cluster
