#include <algorithm>

#include "sim/instructions/arithmetic.h"

namespace sim::instructions::bmsk_szext {
namespace {

template <bool clamp>
uint32_t limited(uint32_t value) {
    return clamp ? std::min(value, 32u) : value & 31;
}

/// `b` ones from bit `a` upwards.
template <bool clamp>
struct Mask {
    uint32_t operator()(uint32_t a, uint32_t b) const {
        const uint32_t first = limited<clamp>(a), count = limited<clamp>(b);
        return uint32_t(((uint64_t{1} << count) - 1) << first);
    }
};

/// The low `b` bits of a, sign- or zero-extended.
template <bool clamp>
struct Extend {
    template <class T>
    T operator()(T a, T b) const {
        const uint32_t count = limited<clamp>(uint32_t(b));
        if (count == 0)
            return 0;
        const uint32_t shift = 32 - count;
        return T(T(uint32_t(a) << shift) >> shift);
    }
};

Handler bmsk(Decoder& d) {
    same_width(d, 4);
    return d.value(".mode") == ".clamp" ? uniform<Mask<true>, uint32_t, 2> : uniform<Mask<false>, uint32_t, 2>;
}

Handler szext(Decoder& d) {
    return d.value(".mode") == ".clamp" ? integer<Extend<true>, 2>(d, d.type())
                                        : integer<Extend<false>, 2>(d, d.type());
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "bmsk",
        .syntax = R"(
        bmsk.mode.b32 d, a, b;
        .mode = { .clamp, .wrap };
)",
        .isa = 76,
        .sm = 70,
        .manual = "integer-arithmetic-instructions-bmsk",
        .decode = bmsk,
    },
    {
        .name = "szext",
        .syntax = R"(
        szext.mode.type d, a, b;
        .mode = { .clamp, .wrap };
        .type = { .u32, .s32 };
)",
        .isa = 76,
        .sm = 70,
        .manual = "integer-arithmetic-instructions-szext",
        .decode = szext,
    },
};

} // namespace sim::instructions::bmsk_szext
