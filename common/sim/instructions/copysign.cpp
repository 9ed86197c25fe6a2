#include "sim/instructions/floating.h"

namespace sim::instructions::copysign {
namespace {

struct CopySign {
    template <class T>
    T operator()(T sign, T magnitude) const {
        return std::copysign(magnitude, sign);
    }
};

Handler decode(Decoder& d) {
    same_width(d, bytes_of(d.type()));
    return d.type().bits == 64 ? uniform<CopySign, double, 2> : uniform<CopySign, float, 2>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "copysign",
        .syntax = R"(
        copysign.type d, a, b;
        .type = { .f32, .f64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "floating-point-instructions-copysign",
        .decode = decode,
    },
};

} // namespace sim::instructions::copysign
