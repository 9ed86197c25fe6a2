// Floating-point arithmetic as PTX defines it: one rounding, optional flushing of subnormals (.ftz), clamping to [0, 1]
// (.sat), canonical NaNs. Source: PTX ISA, "Floating-Point Instructions" and "Half-Precision Floating-Point
// Instructions".
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>

#include "sim/instructions/arithmetic.h"
#include "sim/instructions/half.h"

namespace sim::instructions {

inline constexpr uint32_t canonical_nan = 0x7fffffff;

/// Subnormals become zeros of the same sign.
inline float flush(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return std::bit_cast<float>(bits & ((bits & 0x7f800000) ? ~0u : 0x80000000u));
}

/// NaN becomes +0, as .sat has it.
template <class T>
inline T saturate(T value) {
    return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

template <bool ftz>
inline float input(float value) {
    return ftz ? flush(value) : value;
}
template <bool>
inline double input(double value) {
    return value;
}

template <bool ftz, bool sat>
inline float result(float value) {
    if (sat)
        value = saturate(value);
    if (ftz)
        value = flush(value);
    return value != value ? std::bit_cast<float>(canonical_nan) : value;
}
template <bool, bool sat>
inline double result(double value) {
    return sat ? saturate(value) : value;
}

/// F with the modifiers of a scalar float instruction around it.
template <class F, bool ftz, bool sat>
struct Scalar {
    template <class... T>
    auto operator()(T... s) const {
        return result<ftz, sat>(F{}(input<ftz>(s)...));
    }
};

/// F on values of a 16-bit format, computed by `Exact` (see half.h) and rounded once.
template <class F, class Format, bool ftz, bool sat>
struct Half {
    template <class... T>
    uint16_t operator()(T... s) const {
        Exact value = F{}(Exact{Format::template load<ftz>(s)}...);
        if (sat)
            value = Exact{saturate(value.value)};
        return Format::template store<ftz>(value.value);
    }
};

/// Sets the rounding mode for one handler. The handler is called through a pointer that the compiler cannot see
/// through, so that nothing moves across the change of mode.
template <int mode, Handler inner>
[[gnu::noinline]] Flow rounded(Exec& x, const Op& op) {
    const Handler volatile opaque = inner;
    std::fesetround(mode);
    const Flow flow = opaque(x, op);
    std::fesetround(FE_TONEAREST);
    return flow;
}

template <class F, class T, size_t N, bool ftz, bool sat>
Handler with_rounding(std::string_view mode) {
    constexpr Handler nearest = uniform<Scalar<F, ftz, sat>, T, N>;
    if (mode == ".rz")
        return rounded<FE_TOWARDZERO, nearest>;
    if (mode == ".rm")
        return rounded<FE_DOWNWARD, nearest>;
    if (mode == ".rp")
        return rounded<FE_UPWARD, nearest>;
    return nearest;
}

template <class F, size_t N, class Format, bool ftz>
Handler half_handler(Type type, bool sat) {
    if (type.packed)
        return sat ? uniform<BothHalves<Half<F, Format, ftz, true>, uint16_t>, uint32_t, N>
                   : uniform<BothHalves<Half<F, Format, ftz, false>, uint16_t>, uint32_t, N>;
    return sat ? uniform<Half<F, Format, ftz, true>, uint16_t, N> : uniform<Half<F, Format, ftz, false>, uint16_t, N>;
}

/// Decodes `d, a, ...` of f16, f16x2, bf16 or bf16x2.
template <class F, size_t N>
Handler half_precision(Decoder& d, Type type) {
    same_width(d, bytes_of(type));
    const bool sat = d.has(".sat");
    if (type.kind == Kind::brain_float)
        return d.has(".ftz") ? half_handler<F, N, Brain, true>(type, sat) : half_handler<F, N, Brain, false>(type, sat);
    return d.has(".ftz") ? half_handler<F, N, Binary16, true>(type, sat)
                         : half_handler<F, N, Binary16, false>(type, sat);
}

/// Decodes `d, a, ...` of f32 or f64 with its `.rnd`, `.ftz` and `.sat`.
template <class F, size_t N>
Handler single_or_double(Decoder& d, Type type) {
    same_width(d, bytes_of(type));
    const auto mode = d.value(".rnd");
    if (type.bits == 64)
        return with_rounding<F, double, N, false, false>(mode);
    if (d.has(".ftz"))
        return d.has(".sat") ? with_rounding<F, float, N, true, true>(mode)
                             : with_rounding<F, float, N, true, false>(mode);
    return d.has(".sat") ? with_rounding<F, float, N, false, true>(mode)
                         : with_rounding<F, float, N, false, false>(mode);
}

/// F on both halves of a 64-bit register (.f32x2).
template <class F, bool ftz>
struct BothSingles {
    template <class... S>
    uint64_t operator()(S... s) const {
        const auto part = [](uint64_t both, unsigned shift) { return std::bit_cast<float>(uint32_t(both >> shift)); };
        const float low = Scalar<F, ftz, false>{}(part(s, 0)...), high = Scalar<F, ftz, false>{}(part(s, 32)...);
        return uint64_t{std::bit_cast<uint32_t>(high)} << 32 | std::bit_cast<uint32_t>(low);
    }
};

/// Sets the rounding mode around `nearest`, if it is another one.
template <Handler nearest>
Handler in_mode(std::string_view mode) {
    return mode == ".rz"   ? rounded<FE_TOWARDZERO, nearest>
           : mode == ".rm" ? rounded<FE_DOWNWARD, nearest>
           : mode == ".rp" ? rounded<FE_UPWARD, nearest>
                           : nearest;
}

/// Decodes `d, a, ...` of f32x2 with its `.rnd` and `.ftz`.
template <class F, size_t N>
Handler pair_of_singles(Decoder& d) {
    d.need("sm_100", std::string(d.source.opcode));
    same_width(d, 8);
    return d.has(".ftz") ? in_mode<uniform<BothSingles<F, true>, uint64_t, N>>(d.value(".rnd"))
                         : in_mode<uniform<BothSingles<F, false>, uint64_t, N>>(d.value(".rnd"));
}

/// F on f32 operands, of which all but the last are given in a 16-bit format.
template <class F, class Format, bool sat>
struct Mixed {
    float operator()(uint16_t a, float c) const {
        return result<false, sat>(F{}(float(Format::template load<false>(a)), c));
    }
    float operator()(uint16_t a, uint16_t b, float c) const {
        return result<false, sat>(
            F{}(float(Format::template load<false>(a)), float(Format::template load<false>(b)), c));
    }
};

template <class F, size_t N, class Format, bool sat>
Handler mixed_handler(std::string_view mode) {
    if constexpr (N == 2)
        return in_mode<lanewise<Mixed<F, Format, sat>, float, uint16_t, float>>(mode);
    else
        return in_mode<lanewise<Mixed<F, Format, sat>, float, uint16_t, uint16_t, float>>(mode);
}

/// Decodes `d, a, c` or `d, a, b, c` of f32 with the other operands in the 16-bit format of `.narrow`.
template <class F, size_t N>
Handler mixed_precision(Decoder& d) {
    d.need("sm_100", std::string(d.source.opcode));
    d.op.d = destination(d, 0, 4);
    d.op.a = d.read(1, 2);
    d.op.b = d.read(2, N == 2 ? 4 : 2);
    if (N == 3)
        d.op.c = d.read(3, 4);
    const auto mode = d.value(".rnd");
    if (d.value(".narrow") == ".bf16")
        return d.has(".sat") ? mixed_handler<F, N, Brain, true>(mode) : mixed_handler<F, N, Brain, false>(mode);
    return d.has(".sat") ? mixed_handler<F, N, Binary16, true>(mode) : mixed_handler<F, N, Binary16, false>(mode);
}

/// An f32 instruction with nothing but `.ftz`.
template <class F, size_t N>
Handler approximate(Decoder& d) {
    same_width(d, 4);
    return d.has(".ftz") ? uniform<Scalar<F, true, false>, float, N> : uniform<Scalar<F, false, false>, float, N>;
}

/// Any floating-point type.
template <class F, size_t N>
Handler floating(Decoder& d, Type type) {
    const bool half = type.bits == 16 || (type.packed && type.bits == 32);
    return half ? half_precision<F, N>(d, type) : single_or_double<F, N>(d, type);
}

} // namespace sim::instructions
