#include "sim/instructions/arithmetic.h"

namespace sim::instructions::shift {
namespace {

/// Amounts past the register's width give what shifting by the width would.
struct Left {
    template <class T>
    T operator()(T a, uint32_t b) const {
        return b < 8 * sizeof(T) ? T(Wrapping<T>(a) << b) : T(0);
    }
};
struct Right {
    template <class T>
    T operator()(T a, uint32_t b) const {
        constexpr uint32_t top = 8 * sizeof(T) - 1;
        if (std::is_signed_v<T>)
            return T(a >> (b < top ? b : top));
        return b <= top ? T(a >> b) : T(0);
    }
};

template <class F>
Handler decode_shift(Decoder& d) {
    const Type type = d.type();
    d.op.d = destination(d, 0, bytes_of(type));
    d.op.a = d.read(1, bytes_of(type));
    d.op.b = d.read(2, 4);
    return for_integer(d, type, []<class T>() -> Handler { return lanewise<F, T, T, uint32_t>; });
}

/// The 64 bits [b:a] shifted by c; the upper (left) or lower (right) half is the result.
template <bool left, bool clamp>
struct Funnel {
    uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
        const uint32_t n = clamp ? (c < 32 ? c : 32) : c & 31;
        const uint64_t both = uint64_t{b} << 32 | a;
        return left ? uint32_t(both << n >> 32) : uint32_t(both >> n);
    }
};

Handler shf(Decoder& d) {
    same_width(d, 4);
    const bool clamp = d.value(".mode") == ".clamp";
    if (d.value(".direction") == ".l")
        return clamp ? uniform<Funnel<true, true>, uint32_t, 3> : uniform<Funnel<true, false>, uint32_t, 3>;
    return clamp ? uniform<Funnel<false, true>, uint32_t, 3> : uniform<Funnel<false, false>, uint32_t, 3>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "shl",
        .syntax = R"(
        shl.type d, a, b;
        .type = { .b16, .b32, .b64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "logic-and-shift-instructions-shl",
        .decode = decode_shift<Left>,
    },
    {
        .name = "shr",
        .syntax = R"(
        shr.type d, a, b;
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "logic-and-shift-instructions-shr",
        .decode = decode_shift<Right>,
    },
    {
        .name = "shf",
        .syntax = R"(
        shf.direction.mode.b32 d, a, b, c;
        .direction = { .l, .r };
        .mode = { .clamp, .wrap };
)",
        .isa = 31,
        .sm = 32,
        .manual = "logic-and-shift-instructions-shf",
        .decode = shf,
    },
};

} // namespace sim::instructions::shift
