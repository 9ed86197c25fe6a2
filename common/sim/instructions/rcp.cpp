#include "sim/instructions/rough.h"

namespace sim::instructions::rcp {
namespace {

struct Reciprocal {
    template <class T>
    T operator()(T a) const {
        return T(1) / a;
    }
};

/// rcp.approx.ftz.f64: the upper half of the result only; subnormal inputs and results are zeros.
struct RoughReciprocal {
    double operator()(double a) const { return upper_half(1.0 / flush_double(a)); }
};

Handler decode(Decoder& d) {
    if (last_type(d).bits == 64 && d.has(".approx")) {
        same_width(d, 8);
        return uniform<RoughReciprocal, double, 1>;
    }
    return single_or_double<Reciprocal, 1>(d, last_type(d));
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "rcp",
        .syntax = R"(
        rcp.approx{.ftz}.f32 d, a;
        rcp.rnd{.ftz}.f32 d, a;
        rcp.rnd.f64 d, a;
        rcp.approx.ftz.f64 d, a;
        .rnd = { .rn, .rz, .rm, .rp };
)",
        .isa = 10,
        .sm = 0,
        .manual = "floating-point-instructions-rcp",
        .decode = decode,
        .inexact = {{".approx", rounded_correctly}},
    },
};

} // namespace sim::instructions::rcp
