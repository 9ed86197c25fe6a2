#include <cfenv>
#include <cmath>

#include <doctest/doctest.h>

#include "snippet.h"

// Expectations are computed with the host's IEEE arithmetic, in the rounding mode named, through volatile so that the
// compiler computes nothing itself.

namespace floating_test {

constexpr uint32_t nan32 = 0x7fffffff;

const std::vector<In> pairs32 = pairs(floats32()), singles32 = singles(floats32()), triples32 = triples(floats32());
const std::vector<In> pairs64 = pairs(floats64()), singles64 = singles(floats64()), triples64 = triples(floats64());

uint32_t canonical(float value) {
    return std::isnan(value) ? nan32 : bits(value);
}
float flushed(float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}
uint32_t saturated(float value) {
    return value > 0 ? bits(value < 1 ? value : 1.0f) : 0;
}
/// NaN results of doubles are compared as "some NaN".
uint64_t any_nan(uint64_t value) {
    return std::isnan(std::bit_cast<double>(value)) ? 0x7ff8000000000000 : value;
}

enum class Op { add, sub, mul, div, sqrt, rcp, fma };

template <class T>
T apply(Op op, T a0, T b0, T c0, int mode = FE_TONEAREST) {
    volatile T a = a0, b = b0, c = c0, r = 0;
    std::fesetround(mode);
    switch (op) {
    case Op::add:
        r = a + b;
        break;
    case Op::sub:
        r = a - b;
        break;
    case Op::mul:
        r = a * b;
        break;
    case Op::div:
        r = a / b;
        break;
    case Op::sqrt:
        r = std::sqrt(a);
        break;
    case Op::rcp:
        r = T(1) / a;
        break;
    case Op::fma:
        r = std::fma(a, b, c);
        break;
    }
    std::fesetround(FE_TONEAREST);
    return r;
}

void same32(const std::string& body, const std::vector<In>& inputs, Op op, int mode = FE_TONEAREST) {
    check32(body, inputs, [&](const In& x) { return canonical(apply(op, x.fa(), x.fb(), x.fc(), mode)); });
}
void same64(const std::string& body, const std::vector<In>& inputs, Op op, int mode = FE_TONEAREST) {
    const auto out = execute(body, inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
        INFO(body << " on " << inputs[i].a << ", " << inputs[i].b << ", " << inputs[i].c);
        REQUIRE(any_nan(out[i].wide) == any_nan(bits(apply(op, inputs[i].da(), inputs[i].db(), inputs[i].dc(), mode))));
    }
}

TEST_CASE("f32 arithmetic is IEEE's, with the canonical NaN") {
    same32("add.f32 %r10, %r1, %r2;", pairs32, Op::add);
    same32("add.rn.f32 %r10, %r1, %r2;", pairs32, Op::add);
    same32("sub.f32 %r10, %r1, %r2;", pairs32, Op::sub);
    same32("mul.f32 %r10, %r1, %r2;", pairs32, Op::mul);
    same32("fma.rn.f32 %r10, %r1, %r2, %r3;", triples32, Op::fma);
    same32("mad.rn.f32 %r10, %r1, %r2, %r3;", triples32, Op::fma);
    same32("div.rn.f32 %r10, %r1, %r2;", pairs32, Op::div);
    same32("div.full.f32 %r10, %r1, %r2;", pairs32, Op::div);
    same32("rcp.rn.f32 %r10, %r1;", singles32, Op::rcp);
    same32("sqrt.rn.f32 %r10, %r1;", singles32, Op::sqrt);
}

TEST_CASE("directed rounding rounds in its direction") {
    const std::pair<const char*, int> modes[] = {{"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
    for (const auto& [name, mode] : modes) {
        const std::string m = name;
        same32("add." + m + ".f32 %r10, %r1, %r2;", pairs32, Op::add, mode);
        same32("sub." + m + ".f32 %r10, %r1, %r2;", pairs32, Op::sub, mode);
        same32("mul." + m + ".f32 %r10, %r1, %r2;", pairs32, Op::mul, mode);
        same32("fma." + m + ".f32 %r10, %r1, %r2, %r3;", triples32, Op::fma, mode);
        same32("div." + m + ".f32 %r10, %r1, %r2;", pairs32, Op::div, mode);
        same32("rcp." + m + ".f32 %r10, %r1;", singles32, Op::rcp, mode);
        same32("sqrt." + m + ".f32 %r10, %r1;", singles32, Op::sqrt, mode);
        same64("add." + m + ".f64 %rd10, %rd1, %rd2;", pairs64, Op::add, mode);
        same64("mul." + m + ".f64 %rd10, %rd1, %rd2;", pairs64, Op::mul, mode);
        same64("fma." + m + ".f64 %rd10, %rd1, %rd2, %rd3;", triples64, Op::fma, mode);
        same64("div." + m + ".f64 %rd10, %rd1, %rd2;", pairs64, Op::div, mode);
        same64("sqrt." + m + ".f64 %rd10, %rd1;", singles64, Op::sqrt, mode);
    }
    // The mode does not outlast the instruction.
    same32("add.rp.f32 %r9, %r1, %r2; add.f32 %r10, %r1, %r2;", pairs32, Op::add);
}

TEST_CASE("f64 arithmetic is IEEE's") {
    same64("add.f64 %rd10, %rd1, %rd2;", pairs64, Op::add);
    same64("sub.rn.f64 %rd10, %rd1, %rd2;", pairs64, Op::sub);
    same64("mul.f64 %rd10, %rd1, %rd2;", pairs64, Op::mul);
    same64("fma.rn.f64 %rd10, %rd1, %rd2, %rd3;", triples64, Op::fma);
    same64("mad.rn.f64 %rd10, %rd1, %rd2, %rd3;", triples64, Op::fma);
    same64("div.rn.f64 %rd10, %rd1, %rd2;", pairs64, Op::div);
    same64("rcp.rn.f64 %rd10, %rd1;", singles64, Op::rcp);
    same64("sqrt.rn.f64 %rd10, %rd1;", singles64, Op::sqrt);
}

TEST_CASE(".ftz makes zeros of subnormal inputs and results; .sat clamps to [0, 1] and NaN to 0") {
    check32("add.ftz.f32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return canonical(flushed(apply(Op::add, flushed(x.fa()), flushed(x.fb()), 0.0f))); });
    check32("mul.ftz.f32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return canonical(flushed(apply(Op::mul, flushed(x.fa()), flushed(x.fb()), 0.0f))); });
    check32("fma.rn.ftz.f32 %r10, %r1, %r2, %r3;", triples32, [](const In& x) {
        return canonical(flushed(apply(Op::fma, flushed(x.fa()), flushed(x.fb()), flushed(x.fc()))));
    });
    check32("add.sat.f32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return saturated(apply(Op::add, x.fa(), x.fb(), 0.0f)); });
    check32("fma.rn.ftz.sat.f32 %r10, %r1, %r2, %r3;", triples32, [](const In& x) {
        const float r = apply(Op::fma, flushed(x.fa()), flushed(x.fb()), flushed(x.fc()));
        return bits(flushed(std::bit_cast<float>(saturated(r))));
    });
    check32("abs.ftz.f32 %r10, %r1;", singles32, [](const In& x) { return bits(std::fabs(flushed(x.fa()))); });
    check32("neg.ftz.f32 %r10, %r1;", singles32, [](const In& x) { return bits(flushed(x.fa())) ^ 0x80000000; });
}

TEST_CASE("abs, neg and copysign only touch the sign") {
    check32("abs.f32 %r10, %r1;", singles32, [](const In& x) { return uint32_t(x.a) & 0x7fffffff; });
    check32("neg.f32 %r10, %r1;", singles32, [](const In& x) { return uint32_t(x.a) ^ 0x80000000; });
    check64("abs.f64 %rd10, %rd1;", singles64, [](const In& x) { return x.a << 1 >> 1; });
    check64("neg.f64 %rd10, %rd1;", singles64, [](const In& x) { return x.a ^ 1ull << 63; });
    check16("neg.bf16 %h10, %h1;", singles(halves(true)), [](const In& x) { return uint16_t(x.a ^ 0x8000); });
    check32("abs.f16x2 %r10, %r1;", singles32, [](const In& x) { return uint32_t(x.a) & 0x7fff7fff; });
    check32("copysign.f32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return (uint32_t(x.a) & 0x80000000) | (uint32_t(x.b) & 0x7fffffff); });
    check64("copysign.f64 %rd10, %rd1, %rd2;", pairs64,
            [](const In& x) { return (x.a & 1ull << 63) | (x.b & ~(1ull << 63)); });
}

TEST_CASE("min and max: a number wins over NaN unless .NaN, -0 is below +0") {
    const auto pick = [](float a, float b, bool greater, bool nan) {
        if (std::isnan(a) || std::isnan(b))
            return nan || (std::isnan(a) && std::isnan(b)) ? nan32 : canonical(std::isnan(a) ? b : a);
        if (a == b)
            return bits(std::signbit(a) == greater ? b : a);
        return bits((greater ? a > b : a < b) ? a : b);
    };
    check32("min.f32 %r10, %r1, %r2;", pairs32, [&](const In& x) { return pick(x.fa(), x.fb(), false, false); });
    check32("max.f32 %r10, %r1, %r2;", pairs32, [&](const In& x) { return pick(x.fa(), x.fb(), true, false); });
    check32("min.NaN.f32 %r10, %r1, %r2;", pairs32, [&](const In& x) { return pick(x.fa(), x.fb(), false, true); });
    check32("max.ftz.f32 %r10, %r1, %r2;", pairs32,
            [&](const In& x) { return pick(flushed(x.fa()), flushed(x.fb()), true, false); });
    check32("max.xorsign.abs.f32 %r10, %r1, %r2;", pairs32, [&](const In& x) {
        const uint32_t r = pick(std::fabs(x.fa()), std::fabs(x.fb()), true, false);
        return r == nan32 ? r : r | ((uint32_t(x.a) ^ uint32_t(x.b)) & 0x80000000);
    });
    check64("max.f64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) {
        const double a = x.da(), b = x.db();
        if (std::isnan(a) || std::isnan(b))
            return std::isnan(a) ? x.b : x.a;
        return a == b ? x.a & x.b : a > b ? x.a : x.b;
    });
}

TEST_CASE("div.approx beyond 2^126 gives zero, and NaN for infinity") {
    const auto out = execute("div.approx.f32 %r10, %r1, %r2;", {{bits(3.0f), bits(2.0f), 0, 0},
                                                                {bits(3.0f), bits(0x1p127f), 0, 0},
                                                                {0x7f800000, bits(0x1p127f), 0, 0},
                                                                {bits(1.0f), 0, 0, 0}});
    CHECK(out[0].narrow == bits(1.5f));
    CHECK(out[1].narrow == 0);
    CHECK(out[2].narrow == nan32);
    CHECK(out[3].narrow == 0x7f800000);
}

TEST_CASE("approximations are within a rounding of the exact value, and right at the special ones") {
    const auto near = [](const char* name, double (*exact)(double), const std::vector<float>& values) {
        std::vector<In> inputs;
        for (float v : values)
            inputs.push_back({bits(v), 0, 0, 0});
        const auto out = execute(std::string(name) + " %r10, %r1;", inputs);
        for (size_t i = 0; i < values.size(); ++i) {
            INFO(name << " of " << values[i]);
            const auto expected = float(exact(double(values[i])));
            CHECK(out[i].narrow == canonical(expected));
        }
    };
    near("ex2.approx.f32", [](double v) { return std::exp2(v); },
         {0, 1, -1, 0.5f, 10.25f, -150, 200, -INFINITY, INFINITY, NAN});
    near("lg2.approx.f32", [](double v) { return std::log2(v); }, {1, 2, 0.5f, 10, 0, -1, 0x1p-140f, INFINITY, NAN});
    near("sin.approx.f32", [](double v) { return std::sin(v); }, {0, 1, -1, 3.1415927f, 100});
    near("cos.approx.f32", [](double v) { return std::cos(v); }, {0, 1, -1, 3.1415927f, INFINITY});
    near("tanh.approx.f32", [](double v) { return std::tanh(v); }, {0, 1, -20, INFINITY, NAN});
    near("rsqrt.approx.f32", [](double v) { return 1 / std::sqrt(v); }, {1, 4, 2, 0.0f, -0.0f, -1, INFINITY});
    near("rcp.approx.f32", [](double v) { return 1 / v; }, {1, 3, -4, 0.0f, -0.0f, INFINITY, NAN});
    near("sqrt.approx.f32", [](double v) { return std::sqrt(v); }, {1, 3, 0.0f, -0.0f, -1, INFINITY, NAN});
    check32("ex2.approx.ftz.f32 %r10, %r1;", {{bits(-130.0f), 0, 0, 0}}, [](const In&) { return 0u; });
    check64("rsqrt.approx.f64 %rd10, %rd1;", {{bits(4.0), 0, 0, 0}}, [](const In&) { return bits(0.5); });
    check64("rcp.approx.ftz.f64 %rd10, %rd1;", {{bits(3.0), 0, 0, 0}},
            [](const In&) { return bits(1.0 / 3.0) & 0xffffffff00000000; });
    check64("rsqrt.approx.ftz.f64 %rd10, %rd1;", {{1, 0, 0, 0}}, [](const In&) { return 0x7ff0000000000000; });
    check16("ex2.approx.f16 %h10, %h1;", {{0x3c00, 0, 0, 0}}, [](const In&) { return uint16_t(0x4000); });
    check16("ex2.approx.ftz.bf16 %h10, %h1;", {{0x3f80, 0, 0, 0}}, [](const In&) { return uint16_t(0x4000); });
    check16("tanh.approx.f16 %h10, %h1;", {{0x7c00, 0, 0, 0}}, [](const In&) { return uint16_t(0x3c00); });
}

TEST_CASE("testp distinguishes the classes of floats") {
    const auto classify = [](const char* name, auto is) {
        check_predicate(std::string("testp.") + name + ".f32 %p10, %r1;", singles32,
                        [&](const In& x) { return is(std::fpclassify(x.fa())); });
        check_predicate(std::string("testp.") + name + ".f64 %p10, %rd1;", singles64,
                        [&](const In& x) { return is(std::fpclassify(x.da())); });
    };
    classify("finite", [](int c) { return c == FP_NORMAL || c == FP_ZERO || c == FP_SUBNORMAL; });
    classify("infinite", [](int c) { return c == FP_INFINITE; });
    classify("number", [](int c) { return c != FP_NAN; });
    classify("notanumber", [](int c) { return c == FP_NAN; });
    classify("normal", [](int c) { return c == FP_NORMAL; });
    classify("subnormal", [](int c) { return c == FP_SUBNORMAL; });
}

} // namespace floating_test
