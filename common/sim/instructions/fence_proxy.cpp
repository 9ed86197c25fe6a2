// fence.proxy: orders accesses that go through different proxies.
#include "sim/instructions/bulk_operands.h"
#include "sim/instructions/memory_operands.h"

namespace sim::instructions::fence_proxy {
namespace {

enum : uint8_t { shared = 1, global = 2 };

Flow async_fence(Exec& x, const Op& op) {
    if (x.listener) {
        x.listener->proxy_fence(x, x.mask, op.flags & shared, op.flags & global);
        if (op.small) // the one-directional forms are acquire or release fences, too
            x.listener->fence(x, Semantics(op.small), Scope::cluster, x.mask);
    }
    return Flow::next;
}

/// Publishes to a later acquire of a tensor map everything that is ordered before this fence.
Flow map_release(Exec& x, const Op& op) {
    if (x.listener) {
        x.listener->fence(x, Semantics::release, Scope(op.small), x.mask);
        x.listener->map_release(x, x.mask, Scope(op.small));
    }
    return Flow::next;
}

Flow acquire_maps(Exec& x, const Op& op) {
    Resolved where;
    if (!locate(x, op, op.address, 128, 64, Direction::load, where))
        return Flow::fault;
    if (where.global != x.mask)
        return x.fail(Fault::illegal_instruction, "fence.proxy.tensormap acquires a tensor map in global memory");
    if (x.listener) {
        x.listener->fence(x, Semantics::acquire, Scope(op.small), x.mask);
        for_lanes(x.mask,
                  [&](int lane) { x.listener->map_acquire(x, uint32_t(lane), where.address[lane], Scope(op.small)); });
    }
    return Flow::next;
}

/// Lanes whose map is a null pointer acquire nothing: in CUTLASS's grouped GEMM, warps that use no map execute the
/// fence with the others.
Flow map_acquire(Exec& x, const Op& op) {
    const uint32_t all = x.mask;
    uint64_t address[32];
    x.addresses(op.address, address);
    for_lanes(all, [&](int lane) { x.mask &= ~(uint32_t(address[lane] == 0) << lane); });
    const Flow flow = x.mask ? acquire_maps(x, op) : Flow::next;
    x.mask = all;
    return flow;
}

Flow no_effect(Exec&, const Op&) {
    return Flow::next;
}

Handler decode(Decoder& d) {
    if (d.has(".tensormap::generic")) {
        d.op.small = uint32_t(scope(d, Scope::sys));
        if (d.value(".sem") == ".release")
            return map_release;
        if (d.operand_count() < 2 || d.immediate(1) != 128)
            d.fail("fence.proxy.tensormap::generic.acquire takes the map's address and the constant 128");
        d.op.address = d.address(0, Space::generic);
        return map_acquire;
    }
    if (d.has(".alias")) // one address of everything: nothing to order
        return no_effect;
    const auto space = d.value(".space");
    d.op.flags = space.empty() ? shared | global : space == ".global" ? global : shared;
    if (d.has(".async::generic")) {
        d.op.flags = shared;
        d.op.small = uint32_t(d.value(".sem") == ".acquire" ? Semantics::acquire : Semantics::release);
    }
    return async_fence;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "fence.proxy",
        .syntax = R"(
        fence.proxy.alias;
        fence.proxy.async{.space};
        fence.proxy.async::generic.sem.restriction.cluster;
        fence.proxy.tensormap::generic.sem.scope;
        fence.proxy.tensormap::generic.sem.scope [addr], size;
        .space = { .global, .shared{::cta, ::cluster} };
        .sem = { .acquire, .release };
        .restriction = { .sync_restrict::shared::cta, .sync_restrict::shared::cluster };
        .scope = { .cta, .cluster, .gpu, .sys };
)",
        .isa = 78,
        .sm = 70,
        .manual = "parallel-synchronization-and-communication-instructions-membar-fence",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::proxy_fence}},
    },
};

} // namespace sim::instructions::fence_proxy
