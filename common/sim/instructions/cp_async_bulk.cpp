#include "sim/instructions/async_operands.h"

#include <fmt/format.h>

namespace sim::instructions {
namespace {

// cp.async.bulk.shared.global [dst], [src], size, [mbar]: op.address, op.address2, op.a, and the barrier in op.extra.
Flow load(Exec& x, const Op& op) {
    const auto& barrier_ref = *static_cast<const AddressRef*>(op.extra);
    const uint32_t all = x.mask;
    auto* watcher = async::Engine::of(x.block).detector();
    Flow flow = Flow::next;
    for_lanes(all, [&](int lane) {
        if (flow != Flow::next)
            return;
        x.mask = 1u << lane;
        const uint32_t bytes = x.lanes<uint32_t>(op.a)[lane];
        uint64_t to_address[32], from_address[32];
        x.addresses(op.address, to_address);
        x.addresses(op.address2, from_address);
        const uint64_t together = to_address[lane] | from_address[lane] | bytes;
        if (together & 15) {
            const std::string what =
                fmt::format("a bulk copy of {} bytes from {:#x} to shared address {:#x}: all three must "
                            "be multiples of 16",
                            bytes, from_address[lane], to_address[lane]);
            if (watcher)
                watcher->report(x, op, x.mask, "misaligned-copy", "copy with a misaligned address or size", what + ".");
            flow = x.fail(Fault::misaligned_address, what);
            return;
        }
        Resolved to, from, bar;
        if (bytes == 0)
            return;
        if (!resolve(x, op, op.address, bytes, 16, Direction::store, to) ||
            !resolve(x, op, op.address2, bytes, 16, Direction::load, from) ||
            !resolve(x, op, barrier_ref, 8, 8, Direction::load, bar)) {
            flow = Flow::fault;
            return;
        }
        if (!to.shared || !from.global || !bar.shared) {
            flow = x.fail(Fault::illegal_instruction, "this bulk copy goes from global to shared memory");
            return;
        }
        const auto offset = uint32_t(bar.address[lane]);
        async::Mbarrier* barrier = barriers_of(*bar.target).use(x, op, x.mask, offset);
        if (!barrier) {
            flow = Flow::fault;
            return;
        }
        async::BulkCopy copy;
        copy.source = from.pointer[lane];
        copy.destination = to.target;
        copy.offset = uint32_t(to.address[lane]);
        copy.bytes = bytes;
        copy.barrier_block = bar.target;
        copy.barrier = offset;
        if (watcher)
            copy.number = watcher->bulk_load_issue(x, op, lane, *to.target, copy.offset, from.address[lane], bytes,
                                                   barrier->clock);
        async::Engine::of(x.block).issue(copy);
    });
    x.mask = all;
    return flow;
}

Handler decode(Decoder& d) {
    if (d.value(".dst").starts_with(".global") || d.value(".src").starts_with(".shared"))
        d.fail(std::string(d.source.opcode) +
               " is not implemented by the simulated device yet: only bulk copies from global "
               "to shared memory are");
    if (d.has(".multicast::cluster"))
        d.fail("multicast bulk copies are not implemented by the simulated device");
    d.op.address = d.address(0, Space::shared);
    d.op.address2 = d.address(1, Space::global);
    d.op.a = d.read(2, 4);
    d.op.extra = d.keep(d.address(3, Space::shared));
    return load;
}

} // namespace

INSTRUCTIONS(cp_async_bulk) = {
    {.name = "cp.async.bulk",
     .syntax = R"(
        cp.async.bulk.dst.src.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint} [dst], [src], size, [mbar]{, cta-mask}{, cache-policy};
        cp.async.bulk.dst.src.bulk_group{.L2::cache_hint}{.cp_mask} [dst], [src], size{, cache-policy}{, byte-mask};
        .dst = { .shared{::cta, ::cluster}, .global };
        .src = { .global, .shared{::cta} };
)",
     .isa = 80,
     .sm = 90,
     .manual = "data-movement-and-conversion-instructions-cp-async-bulk",
     .decode = decode,
     .use = Use::sink},
};

} // namespace sim::instructions
