#include "sim/instructions/fused.h"

namespace sim::instructions::fma {
namespace {

/// .relu: everything below zero becomes +0, NaN stays NaN.
struct ClampedMultiplyAdd {
    Exact operator()(Exact a, Exact b, Exact c) const {
        const Exact sum = FusedMultiplyAdd{}(a, b, c);
        return {sum.value <= 0 ? 0.0 : sum.value};
    }
};

Handler decode(Decoder& d) {
    if (d.has(".narrow"))
        return mixed_precision<FusedMultiplyAdd, 3>(d);
    const Type type = last_type(d);
    if (type.packed && type.bits == 64)
        return pair_of_singles<FusedMultiplyAdd, 3>(d);
    return d.has(".relu") ? half_precision<ClampedMultiplyAdd, 3>(d, type) : floating<FusedMultiplyAdd, 3>(d, type);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "fma",
        .syntax = R"(
        fma.rnd{.ftz}{.sat}.f32 d, a, b, c;
        fma.rnd{.ftz}.f32x2 d, a, b, c;
        fma.rnd{.sat}.f32.narrow d, a, b, c;
        fma.rnd.f64 d, a, b, c;
        fma.rn{.ftz}{.sat}.half d, a, b, c;
        fma.rn{.ftz}{.relu}.half d, a, b, c;
        fma.rn{.relu}.brain d, a, b, c;
        .half = { .f16, .f16x2 };
        .brain = { .bf16, .bf16x2 };
        .narrow = { .f16, .bf16 };
        .rnd = { .rn, .rz, .rm, .rp };
)",
        .isa = 20,
        .sm = 20,
        .manual = "floating-point-instructions-fma",
        .decode = decode,
    },
};

} // namespace sim::instructions::fma
