#include "sim/instructions/floating.h"

namespace sim::instructions::transcendental {
namespace {

// PTX bounds the error of these approximations; here they are rounded correctly (except for ties that a double cannot
// resolve).

struct Exponential {
    double operator()(double a) const { return std::exp2(a); }
};
struct Logarithm {
    double operator()(double a) const { return std::log2(a); }
};
struct Sine {
    double operator()(double a) const { return std::sin(a); }
};
struct Cosine {
    double operator()(double a) const { return std::cos(a); }
};
struct Tangent {
    double operator()(double a) const { return std::tanh(a); }
};

template <class F>
struct Evaluate {
    float operator()(float a) const { return float(F{}(double(a))); }
    Exact operator()(Exact a) const { return {F{}(a.value)}; }
};

template <class F>
Handler decode(Decoder& d) {
    const Type type = last_type(d);
    if (type.bits == 32 && !type.packed)
        return approximate<Evaluate<F>, 1>(d);
    return half_precision<Evaluate<F>, 1>(d, type);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "ex2",
        .syntax = R"(
        ex2.approx{.ftz}.f32 d, a;
        ex2.approx.half d, a;
        ex2.approx.ftz.brain d, a;
        .half = { .f16, .f16x2 };
        .brain = { .bf16, .bf16x2 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "floating-point-instructions-ex2",
        .decode = decode<Exponential>,
        .inexact = {{"", rounded_correctly}},
    },
    {
        .name = "lg2",
        .syntax = R"(
        lg2.approx{.ftz}.f32 d, a;
)",
        .isa = 10,
        .sm = 0,
        .manual = "floating-point-instructions-lg2",
        .decode = decode<Logarithm>,
        .inexact = {{"", rounded_correctly}},
    },
    {
        .name = "sin",
        .syntax = R"(
        sin.approx{.ftz}.f32 d, a;
)",
        .isa = 10,
        .sm = 0,
        .manual = "floating-point-instructions-sin",
        .decode = decode<Sine>,
        .inexact = {{"", rounded_correctly}},
    },
    {
        .name = "cos",
        .syntax = R"(
        cos.approx{.ftz}.f32 d, a;
)",
        .isa = 10,
        .sm = 0,
        .manual = "floating-point-instructions-cos",
        .decode = decode<Cosine>,
        .inexact = {{"", rounded_correctly}},
    },
    {
        .name = "tanh",
        .syntax = R"(
        tanh.approx.type d, a;
        .type = { .f32, .f16, .f16x2, .bf16, .bf16x2 };
)",
        .isa = 70,
        .sm = 75,
        .manual = "floating-point-instructions-tanh",
        .decode = decode<Tangent>,
        .inexact = {{"", rounded_correctly}},
    },
};

} // namespace sim::instructions::transcendental
