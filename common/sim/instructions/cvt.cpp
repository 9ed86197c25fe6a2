#include <algorithm>

#include "sim/instructions/convert.h"
#include "sim/instructions/cvt_packed.h"

namespace sim::instructions::cvt {
namespace {

Flow convert_any(Exec& x, const Op& op) {
    const auto& c = *static_cast<const Conversion*>(op.extra);
    Lanes lanes;
    c.load(x.lanes<std::byte>(op.a), c.ftz, lanes);
    convert(c, lanes);
    c.store(lanes, x.mask, x.lanes<std::byte>(op.d));
    return Flow::next;
}

Handler decode(Decoder& d) {
    if (d.form.index() > 0)
        return decode_packed_cvt(d);
    Conversion c{};
    c.to = d.type(".type", 0);
    c.from = d.type(".type", 1);
    const auto mode = d.value(".rnd");
    c.rounding = rounding_named(mode);
    c.to_integral = mode.ends_with("i");
    c.ftz = d.has(".ftz");
    c.sat = d.has(".sat");
    c.relu = d.has(".relu");
    c.satfinite = d.has(".satfinite");
    // Registers may be wider than the types.
    const auto natural = [](Type type) { return std::max(2u, bytes_of(type)); };
    c.to_bytes = d.register_bytes(d.operand(0), natural(c.to));
    c.from_bytes = std::max(natural(c.from), d.register_bytes(d.operand(1), natural(c.from)));
    if (is_float(c.from) != is_float(c.to) && mode.empty())
        d.fail("this conversion needs a rounding modifier");
    if (is_float(c.from) && !is_float(c.to) && !c.to_integral)
        d.fail("a conversion to an integer takes .rni, .rzi, .rmi or .rpi");
    if (!choose_access(c))
        d.fail("the registers are too narrow for this conversion");
    d.op.d = destination(d, 0, c.to_bytes);
    d.op.a = d.read(1, c.from_bytes);
    if (const Handler direct = direct_conversion(c))
        return direct;
    d.op.extra = d.keep(c);
    return convert_any;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "cvt",
        .syntax = R"(
        cvt{.rnd}{.ftz}{.sat}{.relu}{.satfinite}.type.type d, a;
        cvt.rnd{.relu}{.satfinite}.pair.f32 d, a, b;
        cvt.rnd{.satfinite}{.relu}.tf32.f32 d, a;
        cvt.rn.satfinite{.relu}.f8x2.f32 d, a, b;
        cvt.rn.satfinite{.relu}.f8x2.f16x2 d, a;
        cvt.rn{.relu}.f16x2.f8x2 d, a;
        cvt.rn.satfinite{.relu}.small.f32 d, a, b;
        cvt.rn.satfinite{.relu}.small.halves d, a;
        cvt.rn{.relu}.f16x2.small d, a;
        cvt.rn.satfinite{.relu}.f8x2.bf16x2 d, a;
        cvt.directed{.satfinite}.ue8m0x2.f32 d, a, b;
        cvt.directed{.satfinite}.ue8m0x2.bf16x2 d, a;
        cvt.rn.bf16x2.ue8m0x2 d, a;
        cvt.rs{.relu}{.satfinite}.halves.f32 d, a, b, rbits;
        cvt.rs{.relu}.satfinite.four.f32 d, a, rbits;
        .rnd = { .rn, .rz, .rm, .rp, .rna, .rni, .rzi, .rmi, .rpi };
        .type = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f16, .bf16, .f32, .f64 };
        .pair = { .f16x2, .bf16x2 };
        .f8x2 = { .e4m3x2, .e5m2x2 };
        .small = { .e2m1x2, .e2m3x2, .e3m2x2 };
        .halves = { .f16x2, .bf16x2 };
        .directed = { .rz, .rp };
        .four = { .e4m3x4, .e5m2x4, .e2m3x4, .e3m2x4, .e2m1x4 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "data-movement-and-conversion-instructions-cvt",
        .decode = decode,
        .inexact = {{.forms = ".rs",
                     .how = "the random bits are added below the last place that is kept; the manual shows "
                            "their place only in figures"}},
    },
};

} // namespace sim::instructions::cvt
