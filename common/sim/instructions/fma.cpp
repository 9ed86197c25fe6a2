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
    const Type type = last_type(d);
    return d.has(".relu") ? half_precision<ClampedMultiplyAdd, 3>(d, type) : floating<FusedMultiplyAdd, 3>(d, type);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "fma",
        .syntax = R"(
        fma.rnd{.ftz}{.sat}.f32 d, a, b, c;
        fma.rnd.f64 d, a, b, c;
        fma.rn{.ftz}{.sat}.half d, a, b, c;
        fma.rn{.ftz}{.relu}.half d, a, b, c;
        fma.rn{.relu}.brain d, a, b, c;
        .half = { .f16, .f16x2 };
        .brain = { .bf16, .bf16x2 };
        .rnd = { .rn, .rz, .rm, .rp };
)",
        .isa = 20,
        .sm = 20,
        .manual = "floating-point-instructions-fma",
        .decode = decode,
    },
};

} // namespace sim::instructions::fma
