#include "sim/instructions/memory_operands.h"

namespace sim::instructions::fence {
namespace {

Flow order_accesses(Exec& x, const Op& op) {
    if (x.listener)
        x.listener->fence(x, Semantics(op.flags >> 4), Scope(op.flags & 15), x.mask);
    return Flow::next;
}

Handler decode(Decoder& d) {
    const auto level = d.value(".level");
    const Scope where = level == ".cta"   ? Scope::cta
                        : level == ".gl"  ? Scope::gpu
                        : level == ".sys" ? Scope::sys
                                          : scope(d, Scope::cluster);
    // fence.mbarrier_init makes the executing thread's mbarrier.init visible to the cluster: a release.
    const Semantics what = d.has(".mbarrier_init") ? Semantics::release : semantics(d, Semantics::acq_rel);
    d.op.flags = uint8_t(uint32_t(what) << 4 | uint32_t(where));
    return order_accesses;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "fence",
        .syntax = R"(
        fence{.sem}.scope;
        fence.mbarrier_init.release.cluster;
        fence.sem.restriction.cluster;
        .sem = { .sc, .acq_rel, .acquire, .release };
        .restriction = { .sync_restrict::shared::cta, .sync_restrict::shared::cluster };
        .scope = { .cta, .cluster, .gpu, .sys };
)",
        .isa = 60,
        .sm = 70,
        .manual = "parallel-synchronization-and-communication-instructions-membar-fence",
        .decode = decode,
        .effects = {{"", effect::fence}},
    },
    {
        .name = "membar",
        .syntax = R"(
        membar.level;
        .level = { .cta, .gl, .sys };
)",
        .isa = 14,
        .sm = 0,
        .manual = "parallel-synchronization-and-communication-instructions-membar-fence",
        .decode = decode,
        .effects = {{"", effect::fence}},
    },
};

} // namespace sim::instructions::fence
