#include "sim/instructions/arithmetic.h"

namespace sim::instructions::abs_neg {
namespace {

struct Magnitude {
    template <class T>
    T operator()(T a) const {
        return a < 0 ? T(Wrapping<T>(0) - Wrapping<T>(a)) : a;
    }
};

struct Negation {
    template <class T>
    T operator()(T a) const {
        return T(Wrapping<T>(0) - Wrapping<T>(a));
    }
};

/// Sign-bit operations on floats of any format: no rounding, and NaNs keep their payload.
template <class T, T sign, T exponent, bool negate, bool ftz>
struct Sign {
    T operator()(T bits) const {
        if (ftz && !(bits & exponent))
            bits &= sign;
        return negate ? T(bits ^ sign) : T(bits & ~sign);
    }
};

template <class T, T sign, T exponent, bool negate>
Handler pick(bool ftz) {
    return ftz ? uniform<Sign<T, sign, exponent, negate, true>, T, 1>
               : uniform<Sign<T, sign, exponent, negate, false>, T, 1>;
}

template <class Integer, bool negate>
Handler decode(Decoder& d) {
    const Type type = last_type(d);
    if (!is_float(type))
        return integer<Integer, 1>(d, type);
    same_width(d, bytes_of(type));
    const bool ftz = d.has(".ftz"), brain = type.kind == Kind::brain_float;
    if (type.bits == 64)
        return pick<uint64_t, 1ull << 63, 0x7ffull << 52, negate>(ftz);
    if (type.bits == 32 && !type.packed)
        return pick<uint32_t, 1u << 31, 0xffu << 23, negate>(ftz);
    if (type.bits == 16)
        return brain ? pick<uint16_t, 0x8000, 0x7f80, negate>(ftz) : pick<uint16_t, 0x8000, 0x7c00, negate>(ftz);
    using Flushing = BothHalves<Sign<uint16_t, 0x8000, 0x7c00, negate, true>, uint16_t>;
    using Plain = BothHalves<Sign<uint16_t, 0x8000, 0x7c00, negate, false>, uint16_t>;
    return ftz ? uniform<Flushing, uint32_t, 1> : uniform<Plain, uint32_t, 1>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "abs",
        .syntax = R"(
        abs.type d, a;
        abs{.ftz}.float d, a;
        abs.other d, a;
        .type = { .s16, .s32, .s64 };
        .float = { .f32, .f16, .f16x2 };
        .other = { .f64, .bf16, .bf16x2 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-abs",
        .decode = decode<Magnitude, false>,
    },
    {
        .name = "neg",
        .syntax = R"(
        neg.type d, a;
        neg{.ftz}.float d, a;
        neg.other d, a;
        .type = { .s16, .s32, .s64 };
        .float = { .f32, .f16, .f16x2 };
        .other = { .f64, .bf16, .bf16x2 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-neg",
        .decode = decode<Negation, true>,
    },
};

} // namespace sim::instructions::abs_neg
