#include "sim/instructions/floating.h"

namespace sim::instructions::sqrt {
namespace {

struct Root {
    template <class T>
    T operator()(T a) const {
        return std::sqrt(a);
    }
};

Handler decode(Decoder& d) {
    return single_or_double<Root, 1>(d, last_type(d));
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "sqrt",
        .syntax = R"(
        sqrt.approx{.ftz}.f32 d, a;
        sqrt.rnd{.ftz}.f32 d, a;
        sqrt.rnd.f64 d, a;
        .rnd = { .rn, .rz, .rm, .rp };
)",
        .isa = 10,
        .sm = 0,
        .manual = "floating-point-instructions-sqrt",
        .decode = decode,
        .inexact = {{".approx", rounded_correctly}},
    },
};

} // namespace sim::instructions::sqrt
