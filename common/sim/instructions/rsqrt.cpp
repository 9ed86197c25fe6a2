#include "sim/instructions/rough.h"

namespace sim::instructions::rsqrt {
namespace {

/// Through double, so that the result is the correctly rounded one in all but a few cases per billion.
struct ReciprocalRoot {
    float operator()(float a) const { return float((*this)(double(a))); }
    double operator()(double a) const { return 1.0 / std::sqrt(a); }
};

struct RoughReciprocalRoot {
    double operator()(double a) const { return upper_half(ReciprocalRoot{}(flush_double(a))); }
};

Handler decode(Decoder& d) {
    if (last_type(d).bits == 32)
        return approximate<ReciprocalRoot, 1>(d);
    same_width(d, 8);
    return d.has(".ftz") ? uniform<RoughReciprocalRoot, double, 1> : uniform<ReciprocalRoot, double, 1>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "rsqrt",
        .syntax = R"(
        rsqrt.approx{.ftz}.f32 d, a;
        rsqrt.approx{.ftz}.f64 d, a;
)",
        .isa = 10,
        .sm = 0,
        .manual = "floating-point-instructions-rsqrt",
        .decode = decode,
        .inexact = {{".approx", rounded_correctly}},
    },
};

} // namespace sim::instructions::rsqrt
