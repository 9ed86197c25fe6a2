// mbarrier.arrive and arrive_drop, with .expect_tx and .noComplete.
#include "sim/instructions/async_operands.h"

namespace sim::instructions::mbarrier_arrive {
namespace {

enum : uint8_t { ordering = 1, drops = 2, expects = 4, no_complete = 8 };

Flow arrive(Exec& x, const Op& op) {
    if (held_back(x))
        return Flow::block;
    const bool good = for_barriers(x, op, op.address, [&](Block& block, uint32_t offset, uint32_t lanes) {
        async::Mbarriers& barriers = barriers_of(block);
        async::Mbarrier* barrier = barriers.use(x, op, lanes, offset);
        if (!barrier)
            return false;
        if (!op.a.exists() && !(op.flags & drops))
            barriers.check_arrivals(x, op, lanes, *barrier);
        auto one = [&](uint32_t mask, uint32_t count) {
            const uint64_t token = async::Mbarriers::token(*barrier);
            bool fits = true;
            if (op.flags & expects) // expect first, then one arrive
                for_lanes(mask, [&](int lane) {
                    fits = fits && barriers.can_expect(x, op, lane, *barrier, x.lanes<uint32_t>(op.b)[lane]);
                    if (!fits)
                        return;
                    barrier->tx += x.lanes<uint32_t>(op.b)[lane];
                    barrier->expected_bytes += x.lanes<uint32_t>(op.b)[lane];
                });
            if (!fits)
                return false;
            if ((op.flags & no_complete) && count * uint32_t(std::popcount(mask)) >= barrier->pending) {
                x.fail(Fault::illegal_instruction, "mbarrier.arrive.noComplete would complete the phase");
                return false;
            }
            if (x.grid.log)
                x.grid.log->add(x.warp, mask,
                                {.kind = events::BarrierOperation::Kind::arrive,
                                 .drops = (op.flags & drops) != 0,
                                 .pc = x.pc(),
                                 .object = barrier->seen.id,
                                 .amount = count,
                                 .bytes = op.flags & expects ? x.lanes<uint32_t>(op.b)[std::countr_zero(mask)] : 0,
                                 .phase = uint32_t(barrier->phase)});
            if (op.flags & drops)
                barriers.drop(*barrier, count * uint32_t(std::popcount(mask)));
            barriers.arrive(x, op, mask, offset, *barrier, count, op.flags & ordering);
            if (op.d.exists())
                for_lanes(mask, [&](int lane) { x.lanes<uint64_t>(op.d)[lane] = token; });
            return true;
        };
        // Lanes with a count of one arrive together unless the phase could end between them.
        if (!op.a.exists() && !(op.flags & (expects | drops | no_complete)) &&
            uint32_t(std::popcount(lanes)) <= barrier->pending)
            return one(lanes, 1);
        bool good = true;
        for_lanes(lanes,
                  [&](int lane) { good = good && one(1u << lane, op.a.exists() ? x.lanes<uint32_t>(op.a)[lane] : 1); });
        return good;
    });
    return good ? Flow::next : Flow::fault;
}

Handler decode(Decoder& d) {
    const bool has_state = d.operand(0).kind != ptx::Operand::Kind::address;
    if (has_state) {
        if (d.operand(0).kind != ptx::Operand::Kind::sink)
            d.op.d = destination(d, 0, 8);
    }
    const size_t at = has_state ? 1 : 0;
    d.op.address = barrier_address(d, at);
    d.op.flags = uint8_t(is_ordering(d) ? ordering : 0);
    if (d.op.record->name == "mbarrier.arrive_drop")
        d.op.flags |= drops;
    if (d.has(".noComplete"))
        d.op.flags |= no_complete;
    if (d.has(".expect_tx")) {
        d.op.flags |= expects;
        d.op.b = d.read(at + 1, 4);
    } else if (d.operand_count() > at + 1) {
        d.op.a = d.read(at + 1, 4);
    }
    return arrive;
}

} // namespace

#define MODIFIERS ".sem = { .release, .relaxed }; .scope = { .cta, .cluster }; .space = { .shared{::cta, ::cluster} };"

INSTRUCTIONS = {
    {.name = "mbarrier.arrive",
     .syntax =
         "mbarrier.arrive{.expect_tx}{.noComplete}{.sem}{.scope}{.space}.b64 state{, [addr]}{, count}; " MODIFIERS,
     .isa = 70,
     .sm = 80,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-arrive",
     .decode = decode,
     .use = Use::sink,
     .effects = {{"", effect::arrives}, {".expect_tx", effect::expects}, {".cluster", effect::cluster_scope}}},
    {.name = "mbarrier.arrive_drop",
     .syntax =
         "mbarrier.arrive_drop{.expect_tx}{.noComplete}{.sem}{.scope}{.space}.b64 state{, [addr]}{, count}; " MODIFIERS,
     .isa = 70,
     .sm = 80,
     .manual = "parallel-synchronization-and-communication-instructions-mbarrier-arrive-drop",
     .decode = decode,
     .use = Use::sink,
     .effects = {{"", effect::arrives}, {".expect_tx", effect::expects}, {".cluster", effect::cluster_scope}}},
};

} // namespace sim::instructions::mbarrier_arrive
