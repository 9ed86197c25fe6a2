#include "sim/instructions/arithmetic.h"

namespace sim::instructions::dot_product {
namespace {

template <class T>
int32_t element(uint32_t word, int i) {
    return T(word >> (8 * sizeof(T) * unsigned(i)));
}

/// Four products of bytes.
template <class A, class B>
struct Dot4 {
    uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
        for (int i = 0; i < 4; ++i)
            c += uint32_t(element<A>(a, i) * element<B>(b, i));
        return c;
    }
};

/// Two products of a 16-bit value with a byte of the lower or upper half of b.
template <class A, class B, int half>
struct Dot2 {
    uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
        for (int i = 0; i < 2; ++i)
            c += uint32_t(element<A>(a, i)) * uint32_t(element<B>(b, i + 2 * half));
        return c;
    }
};

template <template <class, class> class F, class U, class S>
Handler pick(Decoder& d) {
    same_width(d, 4);
    const bool a = is_signed(d.type(".atype")), b = is_signed(d.type(".btype"));
    using Byte = int8_t;
    if (a)
        return b ? uniform<F<S, Byte>, uint32_t, 3> : uniform<F<S, uint8_t>, uint32_t, 3>;
    return b ? uniform<F<U, Byte>, uint32_t, 3> : uniform<F<U, uint8_t>, uint32_t, 3>;
}

template <class A, class B>
using Dot2Low = Dot2<A, B, 0>;
template <class A, class B>
using Dot2High = Dot2<A, B, 1>;

Handler dp4a(Decoder& d) {
    return pick<Dot4, uint8_t, int8_t>(d);
}
Handler dp2a(Decoder& d) {
    return d.value(".mode") == ".lo" ? pick<Dot2Low, uint16_t, int16_t>(d) : pick<Dot2High, uint16_t, int16_t>(d);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "dp4a",
        .syntax = R"(
        dp4a.atype.btype d, a, b, c;
        .atype = { .u32, .s32 };
        .btype = { .u32, .s32 };
)",
        .isa = 50,
        .sm = 61,
        .manual = "integer-arithmetic-instructions-dp4a",
        .decode = dp4a,
    },
    {
        .name = "dp2a",
        .syntax = R"(
        dp2a.mode.atype.btype d, a, b, c;
        .mode = { .lo, .hi };
        .atype = { .u32, .s32 };
        .btype = { .u32, .s32 };
)",
        .isa = 50,
        .sm = 61,
        .manual = "integer-arithmetic-instructions-dp2a",
        .decode = dp2a,
    },
};

} // namespace sim::instructions::dot_product
