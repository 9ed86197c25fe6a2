#include "sim/instructions/compare.h"

namespace sim::instructions::set {
namespace {

struct SetParts {
    Compare low, high;
    Combine how;
    uint64_t yes; ///< what true is in the destination's type
};

template <class D>
Flow compare_into_register(Exec& x, const Op& op) {
    const SetParts& parts = *static_cast<const SetParts*>(op.extra);
    const uint32_t c = parts.how == Combine::none ? 0 : x.predicate(op.c, uint32_t(op.imm));
    const uint32_t low = combine(parts.how, parts.low(x, op), c);
    const uint32_t high = parts.high ? combine(parts.how, parts.high(x, op), c) : 0;
    D* d = x.lanes<D>(op.d);
    for_lanes(x.mask, [&](int lane) {
        d[lane] = D((low >> lane & 1 ? parts.yes : 0) | (high >> lane & 1 ? parts.yes << 16 : 0));
    });
    return Flow::next;
}

uint64_t truth(Type type) {
    if (type.kind == Kind::brain_float)
        return 0x3f80;
    if (type.kind == Kind::floating)
        return type.bits == 32 && !type.packed ? 0x3f800000 : 0x3c00;
    return type.bits == 32 ? 0xffffffff : 0xffff;
}

Handler decode(Decoder& d) {
    // One type only: a packed comparison into its own type. Otherwise destination, then source.
    const bool packed = d.form.index() >= 2;
    const Type to = packed ? d.type(".packed") : d.type(".dtype"), from = packed ? to : d.type(".stype");
    const auto name = d.value(".CmpOp");
    d.op.d = destination(d, 0, bytes_of(to));
    d.op.a = d.read(1, bytes_of(from));
    d.op.b = d.read(2, bytes_of(from));
    SetParts parts{nullptr, nullptr, combination(d), truth(to)};
    if (parts.how != Combine::none) {
        uint32_t flip;
        d.op.c = d.predicate(3, flip);
        d.op.imm = flip;
    }
    if (packed) {
        parts.low = half_comparison(d, name, from, d.has(".ftz"), 0);
        parts.high = half_comparison(d, name, from, d.has(".ftz"), 1);
    } else {
        parts.low = comparison(d, name, from, d.has(".ftz"));
    }
    d.op.extra = d.keep(parts);
    return bytes_of(to) == 2 ? compare_into_register<uint16_t> : compare_into_register<uint32_t>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "set",
        .syntax = R"(
        set.CmpOp{.ftz}.dtype.stype d, a, b;
        set.CmpOp.BoolOp{.ftz}.dtype.stype d, a, b, c;
        set.CmpOp{.ftz}.packed d, a, b;
        set.CmpOp.BoolOp{.ftz}.packed d, a, b, c;
        set.CmpOp{.ftz}.packed.packed d, a, b;
        set.CmpOp.BoolOp{.ftz}.packed.packed d, a, b, c;
        .CmpOp = { .eq, .ne, .lt, .le, .gt, .ge, .lo, .ls, .hi, .hs, .equ, .neu, .ltu, .leu, .gtu, .geu, .num, .nan };
        .BoolOp = { .and, .or, .xor };
        .dtype = { .u32, .s32, .f32, .f16, .bf16, .u16, .s16 };
        .stype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64, .f16, .bf16 };
        .packed = { .f16x2, .bf16x2 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "comparison-and-selection-instructions-set",
        .decode = decode,
    },
};

} // namespace sim::instructions::set
