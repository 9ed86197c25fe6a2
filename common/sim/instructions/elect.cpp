#include "sim/instructions/collective.h"

namespace sim::instructions::elect {
namespace {

/// One lane of the mask is elected: the lowest, every time.
Flow elect(Exec& x, const Op& op) {
    return collective(x, op, x.lanes<uint32_t>(op.a), [&](uint32_t) {
        const auto leader = uint32_t(std::countr_zero(x.mask));
        if (op.d.exists())
            for_lanes(x.mask, [&](int lane) { x.lanes<uint32_t>(op.d)[lane] = leader; });
        x.set_predicate(op.e, 1u << leader);
    });
}

Handler decode(Decoder& d) {
    const ptx::Operand& out = d.operand(0);
    if (out.kind != ptx::Operand::Kind::pair)
        d.fail("elect.sync writes d|p");
    if (out.elements.at(0).kind != ptx::Operand::Kind::sink)
        d.op.d = destination(d, out.elements.at(0), 4);
    d.op.e = predicate_destination(d, out.elements.at(1));
    d.op.a = d.read(1, 4);
    return elect;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "elect.sync",
        .syntax = R"(
        elect.sync d, membermask;
)",
        .isa = 80,
        .sm = 90,
        .manual = "parallel-synchronization-and-communication-instructions-elect-sync",
        .decode = decode,
    },
};

} // namespace sim::instructions::elect
