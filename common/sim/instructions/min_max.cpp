#include "sim/instructions/floating.h"

namespace sim::instructions::min_max {
namespace {

template <bool greater, bool relu>
struct IntegerExtreme {
    template <class T>
    T operator()(T a, T b) const {
        const T chosen = (greater ? a > b : a < b) ? a : b;
        return relu && chosen < T(0) ? T(0) : chosen;
    }
};

/// A number wins over NaN unless .NaN is given; -0 is less than +0. .xorsign.abs compares magnitudes and takes the
/// product of the signs.
template <bool greater, bool nan, bool xorsign>
struct FloatExtreme {
    template <class T>
    T operator()(T a, T b) const {
        const bool negative = std::signbit(a) != std::signbit(b);
        if (xorsign) {
            a = std::fabs(a);
            b = std::fabs(b);
        }
        T chosen;
        if (a != a || b != b)
            chosen = nan ? std::numeric_limits<T>::quiet_NaN() : (a != a ? b : a);
        else if (a == b)
            chosen = std::signbit(a) == greater ? b : a;
        else
            chosen = (greater ? a > b : a < b) ? a : b;
        return xorsign && chosen == chosen ? std::copysign(chosen, negative ? T(-1) : T(1)) : chosen;
    }
    Exact operator()(Exact a, Exact b) const { return {(*this)(a.value, b.value)}; }
};

/// The same of three numbers, or of their magnitudes.
template <bool greater, bool nan, bool absolute>
struct ExtremeOfThree {
    float operator()(float a, float b, float c) const {
        using Pair = FloatExtreme<greater, nan, false>;
        if (absolute)
            return Pair{}(Pair{}(std::fabs(a), std::fabs(b)), std::fabs(c));
        return Pair{}(Pair{}(a, b), c);
    }
};

template <bool greater, bool nan>
Handler decode_three(Decoder& d) {
    d.need("sm_100", std::string(d.source.opcode) + " of three operands");
    return d.has(".abs") ? approximate<ExtremeOfThree<greater, nan, true>, 3>(d)
                         : approximate<ExtremeOfThree<greater, nan, false>, 3>(d);
}

template <bool greater>
Handler decode(Decoder& d) {
    if (d.operand_count() == 4)
        return d.has(".NaN") ? decode_three<greater, true>(d) : decode_three<greater, false>(d);
    const Type type = last_type(d);
    if (is_float(type)) {
        if (d.has(".xorsign"))
            return d.has(".NaN") ? floating<FloatExtreme<greater, true, true>, 2>(d, type)
                                 : floating<FloatExtreme<greater, false, true>, 2>(d, type);
        return d.has(".NaN") ? floating<FloatExtreme<greater, true, false>, 2>(d, type)
                             : floating<FloatExtreme<greater, false, false>, 2>(d, type);
    }
    return d.has(".relu") ? integer<IntegerExtreme<greater, true>, 2>(d, type)
                          : integer<IntegerExtreme<greater, false>, 2>(d, type);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "min",
        .syntax = R"(
        min.type d, a, b;
        min{.relu}.clamped d, a, b;
        min{.ftz}{.NaN}{.xorsign.abs}.float d, a, b;
        min{.ftz}{.NaN}{.abs}.f32 d, a, b, c;
        min{.NaN}{.xorsign.abs}.brain d, a, b;
        min.f64 d, a, b;
        .type = { .u16, .u32, .u64, .u16x2, .s16, .s64 };
        .clamped = { .s16x2, .s32 };
        .float = { .f32, .f16, .f16x2 };
        .brain = { .bf16, .bf16x2 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-min",
        .decode = decode<false>,
    },
    {
        .name = "max",
        .syntax = R"(
        max.type d, a, b;
        max{.relu}.clamped d, a, b;
        max{.ftz}{.NaN}{.xorsign.abs}.float d, a, b;
        max{.ftz}{.NaN}{.abs}.f32 d, a, b, c;
        max{.NaN}{.xorsign.abs}.brain d, a, b;
        max.f64 d, a, b;
        .type = { .u16, .u32, .u64, .u16x2, .s16, .s64 };
        .clamped = { .s16x2, .s32 };
        .float = { .f32, .f16, .f16x2 };
        .brain = { .bf16, .bf16x2 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-max",
        .decode = decode<true>,
    },
};

} // namespace sim::instructions::min_max
