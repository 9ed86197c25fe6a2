#include "sim/instructions/compare.h"

namespace sim::instructions::lop3 {
namespace {

/// Chooses, bit by bit, one of the eight entries of the truth table: a is bit 2 of its index, b bit 1, c bit 0.
uint32_t look_up(const uint32_t (&table)[8], uint32_t a, uint32_t b, uint32_t c) {
    const auto choose = [](uint32_t when, uint32_t yes, uint32_t no) { return (when & yes) | (~when & no); };
    return choose(a, choose(b, choose(c, table[7], table[6]), choose(c, table[5], table[4])),
                  choose(b, choose(c, table[3], table[2]), choose(c, table[1], table[0])));
}

void expand(uint64_t lut, uint32_t (&table)[8]) {
    for (unsigned i = 0; i < 8; ++i)
        table[i] = lut >> i & 1 ? ~0u : 0;
}

Flow without_predicate(Exec& x, const Op& op) {
    uint32_t table[8];
    expand(op.imm, table);
    map_lanes(
        x.mask, x.lanes<uint32_t>(op.d), [&](uint32_t a, uint32_t b, uint32_t c) { return look_up(table, a, b, c); },
        x.lanes<uint32_t>(op.a), x.lanes<uint32_t>(op.b), x.lanes<uint32_t>(op.c));
    return Flow::next;
}

/// d|p: p = (d != 0) BoolOp q.
Flow with_predicate(Exec& x, const Op& op) {
    uint32_t table[8], result[32];
    expand(op.imm, table);
    const uint32_t *a = x.lanes<uint32_t>(op.a), *b = x.lanes<uint32_t>(op.b), *c = x.lanes<uint32_t>(op.c);
    uint32_t nonzero = 0;
    for (int lane = 0; lane < 32; ++lane) {
        result[lane] = look_up(table, a[lane], b[lane], c[lane]);
        nonzero |= uint32_t(result[lane] != 0) << lane;
    }
    const uint32_t q = x.predicate(op.e, uint32_t(op.imm >> 32));
    if (op.d.exists())
        for_lanes(x.mask, [&](int lane) { x.lanes<uint32_t>(op.d)[lane] = result[lane]; });
    x.set_predicate(op.address.base, combine(Combine(op.small), nonzero, q));
    return Flow::next;
}

Handler decode(Decoder& d) {
    const bool pair = d.form.index() == 1;
    const ptx::Operand& out = d.operand(0);
    if (pair) {
        if (out.kind != ptx::Operand::Kind::pair)
            d.fail("lop3 with a boolean operation writes d|p");
        if (out.elements.at(0).kind != ptx::Operand::Kind::sink)
            d.op.d = destination(d, out.elements.at(0), 4);
        d.op.address.base = predicate_destination(d, out.elements.at(1));
    } else {
        d.op.d = destination(d, 0, 4);
    }
    d.op.a = d.read(1, 4);
    d.op.b = d.read(2, 4);
    d.op.c = d.read(3, 4);
    d.op.imm = d.immediate(4) & 0xff;
    if (!pair)
        return without_predicate;
    uint32_t flip;
    d.op.e = d.predicate(5, flip);
    d.op.imm |= uint64_t{flip} << 32;
    d.op.small = uint32_t(combination(d));
    return with_predicate;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "lop3",
        .syntax = R"(
        lop3.b32 d, a, b, c, immLut;
        lop3.BoolOp.b32 d, a, b, c, immLut, q;
        .BoolOp = { .or, .and };
)",
        .isa = 43,
        .sm = 50,
        .manual = "logic-and-shift-instructions-lop3",
        .decode = decode,
    },
};

} // namespace sim::instructions::lop3
