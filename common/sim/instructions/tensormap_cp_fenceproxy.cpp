// tensormap.cp_fenceproxy: a whole warp copies a map from shared to global memory and releases it to other proxies.
#include <cstring>

#include "sim/instructions/bulk_operands.h"
#include "sim/instructions/memory_operands.h"

namespace sim::instructions::tensormap_cp_fenceproxy {
namespace {

Flow copy_and_release(Exec& x, const Op& op) {
    if (!gather(x, op, all_lanes)) // .sync.aligned: no order among the lanes follows from it
        return Flow::block;
    Resolved to, from;
    if (!locate(x, op, op.address, 128, 128, Direction::store, to) ||
        !locate(x, op, op.address2, 128, 64, Direction::load, from))
        return Flow::fault;
    const int first = std::countr_zero(x.mask);
    bool same = to.global == x.mask && from.shared == x.mask && from.target == &x.block;
    for_lanes(x.mask, [&](int lane) {
        same = same && to.address[lane] == to.address[first] && from.address[lane] == from.address[first];
    });
    if (!same)
        return x.fail(Fault::illegal_instruction,
                      "tensormap.cp_fenceproxy copies 128 bytes from the block's shared memory to global memory, "
                      "from and to the same addresses in every lane of the warp");
    if (x.listener)
        x.listener->map_copy(x, *from.target, uint32_t(from.address[first]), to.address[first], Scope(op.small));
    std::memcpy(to.pointer[first], from.pointer[first], 128);
    ++x.grid.activity;
    return Flow::next;
}

Handler decode(Decoder& d) {
    if (d.immediate(2) != 128)
        d.fail("tensormap.cp_fenceproxy copies 128 bytes");
    d.op.address = d.address(0, Space::global);
    d.op.address2 = d.address(1, Space::shared);
    d.op.small = uint32_t(scope(d, Scope::sys));
    return copy_and_release;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "tensormap.cp_fenceproxy",
        .syntax = R"(
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [dst], [src], size;
        .scope = { .cta, .cluster, .gpu, .sys };
)",
        .isa = 83,
        .sm = 90,
        .manual = "parallel-synchronization-and-communication-instructions-tensormap-cp-fenceproxy",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::loads | effect::stores | effect::proxy_fence}},
    },
};

} // namespace sim::instructions::tensormap_cp_fenceproxy
