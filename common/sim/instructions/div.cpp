#include "sim/instructions/floating.h"

namespace sim::instructions::div {
namespace {

/// Division by zero is unspecified in PTX; the hardware yields all ones. INT_MIN / -1 wraps to INT_MIN.
struct IntegerQuotient {
    template <class T>
    T operator()(T a, T b) const {
        if (b == 0)
            return T(-1);
        if (std::is_signed_v<T> && b == T(-1))
            return T(Wrapping<T>(0) - Wrapping<T>(a));
        return T(a / b);
    }
};

struct Quotient {
    template <class T>
    T operator()(T a, T b) const {
        return a / b;
    }
};

/// div.approx is a * (1/b): with |b| beyond 2^126 the reciprocal underflows to zero.
struct ApproximateQuotient {
    float operator()(float a, float b) const {
        const float size = std::fabs(b);
        if (size > 0x1p126f && size < INFINITY)
            return std::isinf(a) ? NAN : a * std::copysign(0.0f, b);
        return a / b;
    }
};

Handler decode(Decoder& d) {
    const Type type = last_type(d);
    if (!is_float(type))
        return integer<IntegerQuotient, 2>(d, type);
    return d.has(".approx") ? approximate<ApproximateQuotient, 2>(d) : single_or_double<Quotient, 2>(d, type);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "div",
        .syntax = R"(
        div.type d, a, b;
        div.approx{.ftz}.f32 d, a, b;
        div.full{.ftz}.f32 d, a, b;
        div.rnd{.ftz}.f32 d, a, b;
        div.rnd.f64 d, a, b;
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
        .rnd = { .rn, .rz, .rm, .rp };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-div",
        .decode = decode,
        .inexact = {{".approx", rounded_correctly}, {".full", rounded_correctly}},
    },
};

} // namespace sim::instructions::div
