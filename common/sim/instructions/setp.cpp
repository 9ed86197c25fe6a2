#include "sim/instructions/compare.h"

namespace sim::instructions::setp {
namespace {

struct CompareParts {
    Compare low = nullptr, high = nullptr;
    Combine how = Combine::none;
};

Flow compare_into_predicates(Exec& x, const Op& op) {
    const CompareParts& parts = *static_cast<const CompareParts*>(op.extra);
    const uint32_t c = parts.how == Combine::none ? 0 : x.predicate(op.c, uint32_t(op.imm));
    const uint32_t low = parts.low(x, op);
    const uint32_t high = parts.high ? parts.high(x, op) : ~low;
    x.set_predicate(op.d, combine(parts.how, low, c));
    x.set_predicate(op.e, combine(parts.how, high, c));
    return Flow::next;
}

Handler decode(Decoder& d) {
    const Type type = d.type();
    const auto name = d.value(".CmpOp");
    const ptx::Operand& out = d.operand(0);
    const bool pair = out.kind == ptx::Operand::Kind::pair;
    d.op.d = predicate_destination(d, pair ? out.elements.at(0) : out);
    if (pair)
        d.op.e = predicate_destination(d, out.elements.at(1)); // q: the opposite, or the upper halves' result
    d.op.a = d.read(1, bytes_of(type));
    d.op.b = d.read(2, bytes_of(type));
    CompareParts parts;
    parts.how = combination(d);
    if (parts.how != Combine::none) {
        uint32_t flip;
        d.op.c = d.predicate(3, flip);
        d.op.imm = flip;
    }
    if (type.packed) {
        parts.low = half_comparison(d, name, type, d.has(".ftz"), 0);
        parts.high = half_comparison(d, name, type, d.has(".ftz"), 1);
    } else {
        parts.low = comparison(d, name, type, d.has(".ftz"));
    }
    d.op.extra = d.keep(parts);
    return compare_into_predicates;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "setp",
        .syntax = R"(
        setp.CmpOp{.ftz}.type p, a, b;
        setp.CmpOp.BoolOp{.ftz}.type p, a, b, c;
        .CmpOp = { .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi, .hs, .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan };
        .BoolOp = { .and, .or, .xor };
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64, .f16, .f16x2, .bf16, .bf16x2 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "comparison-and-selection-instructions-setp",
        .decode = decode,
    },
};

} // namespace sim::instructions::setp
