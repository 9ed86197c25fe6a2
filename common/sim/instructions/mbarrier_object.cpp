// mbarrier.init, inval, expect_tx, complete_tx, pending_count.
#include "sim/instructions/async_operands.h"

namespace sim::instructions::mbarrier_object {
namespace {

Flow init(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const bool good = for_barriers(x, op, op.address, [&](Block& block, uint32_t offset, uint32_t lanes) {
        if (&block != &x.block)
            return x.fail(Fault::illegal_instruction, "mbarrier.init needs the block's own shared memory") ==
                   Flow::next;
        for_lanes(lanes,
                  [&](int lane) { barriers_of(block).init(x, op, lane, offset, x.lanes<uint32_t>(op.a)[lane]); });
        if (async::Mbarrier* barrier = barriers_of(block).find(offset))
            barrier->layout = op.flags;
        return true;
    });
    return good ? Flow::next : Flow::fault;
}

Handler decode_init(Decoder& d) {
    d.op.address = barrier_address(d, 0);
    d.op.a = d.read(1, 4);
    d.op.flags = d.value(".layout") == ".layout::v1";
    return init;
}

/// Was the mbarrier initialised with this layout?
Flow check_layout(Exec& x, const Op& op) {
    uint32_t matches = 0;
    const bool good = for_barriers(x, op, op.address, [&](Block& block, uint32_t offset, uint32_t lanes) {
        const async::Mbarrier* barrier = barriers_of(block).use(x, op, lanes, offset);
        if (barrier && barrier->layout == op.flags)
            matches |= lanes;
        return barrier != nullptr;
    });
    if (good)
        x.set_predicate(op.d, matches);
    return good ? Flow::next : Flow::fault;
}

Handler decode_check_layout(Decoder& d) {
    d.op.d = predicate_destination(d, d.operand(0));
    d.op.address = barrier_address(d, 1);
    d.op.flags = d.value(".layout") == ".layout::v1";
    return check_layout;
}

Flow inval(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const bool good = for_barriers(x, op, op.address, [&](Block& block, uint32_t offset, uint32_t lanes) {
        barriers_of(block).invalidate(x, op, std::countr_zero(lanes), offset);
        return true;
    });
    return good ? Flow::next : Flow::fault;
}

Handler decode_inval(Decoder& d) {
    d.op.address = barrier_address(d, 0);
    return inval;
}

// op.flags: complete_tx rather than expect_tx
Flow transaction(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const bool good = for_barriers(x, op, op.address, [&](Block& block, uint32_t offset, uint32_t lanes) {
        async::Mbarrier* barrier = barriers_of(block).use(x, op, lanes, offset);
        if (!barrier)
            return false;
        bool fits = true;
        for_lanes(lanes, [&](int lane) {
            const int64_t bytes = x.lanes<uint32_t>(op.a)[lane];
            fits = fits && barriers_of(block).can_expect(x, op, lane, *barrier, op.flags ? -bytes : bytes);
            if (!fits)
                return;
            if (x.grid.log)
                x.grid.log->add(x.warp, 1u << lane,
                                {.kind = events::BarrierOperation::Kind::expect,
                                 .pc = x.pc(),
                                 .object = barrier->seen.id,
                                 .bytes = op.flags ? -bytes : bytes,
                                 .phase = uint32_t(barrier->phase)});
            barrier->expected_bytes += op.flags ? 0 : uint64_t(bytes);
            barriers_of(block).expect_tx(*barrier, offset, op.flags ? -bytes : bytes);
        });
        return fits;
    });
    return good ? Flow::next : Flow::fault;
}

Handler decode_transaction(Decoder& d) {
    d.op.address = barrier_address(d, 0);
    d.op.a = d.read(1, 4);
    d.op.flags = d.op.record->name == "mbarrier.complete_tx";
    return transaction;
}

Flow pending_count(Exec& x, const Op& op) {
    map_lanes(
        x.mask, x.lanes<uint32_t>(op.d), [](uint64_t state) { return uint32_t(state & 0xffffff); },
        x.lanes<uint64_t>(op.a));
    return Flow::next;
}

Handler decode_pending_count(Decoder& d) {
    d.op.d = destination(d, 0, 4);
    d.op.a = d.read(1, 8);
    return pending_count;
}

} // namespace

INSTRUCTIONS = {
    {.name = "mbarrier.init",
     .syntax = R"(mbarrier.init{.layout}{.space}.b64 [addr], count;
        .layout = { .layout::v0, .layout::v1 }; .space = { .shared{::cta} };)",
     .isa = 70,
     .sm = 80,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-init",
     .decode = decode_init,
     .use = Use::sink,
     .effects = {{"", effect::mbarrier_object}}},
    {.name = "mbarrier.inval",
     .syntax = "mbarrier.inval{.space}.b64 [addr]; .space = { .shared{::cta} };",
     .isa = 70,
     .sm = 80,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-inval",
     .decode = decode_inval,
     .use = Use::sink,
     .effects = {{"", effect::mbarrier_object}}},
    {.name = "mbarrier.expect_tx",
     .syntax = R"(mbarrier.expect_tx{.sem}{.scope}{.space}.b64 [addr], tx-count;
        .sem = { .relaxed }; .scope = { .cta, .cluster }; .space = { .shared{::cta, ::cluster} };)",
     .isa = 80,
     .sm = 90,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-expect-tx",
     .decode = decode_transaction,
     .use = Use::sink,
     .effects = {{"", effect::expects}}},
    {.name = "mbarrier.complete_tx",
     .syntax = R"(mbarrier.complete_tx{.sem}{.scope}{.space}.b64 [addr], tx-count;
        .sem = { .relaxed }; .scope = { .cta, .cluster }; .space = { .shared{::cta, ::cluster} };)",
     .isa = 80,
     .sm = 90,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-complete-tx",
     .decode = decode_transaction,
     .use = Use::sink,
     .effects = {{"", effect::completes_tx}}},
    {.name = "mbarrier.pending_count",
     .syntax = "mbarrier.pending_count{.layout::v0}.b64 count, state;",
     .isa = 70,
     .sm = 80,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-pending-count",
     .decode = decode_pending_count},
    {.name = "mbarrier.check_layout",
     .syntax = R"(mbarrier.check_layout.layout{.space}.b64 p, [addr];
        .layout = { .layout::v0, .layout::v1 }; .space = { .shared::cta };)",
     .isa = 93,
     .sm = 90,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier",
     .decode = decode_check_layout,
     .use = Use::sink},
};

} // namespace sim::instructions::mbarrier_object
