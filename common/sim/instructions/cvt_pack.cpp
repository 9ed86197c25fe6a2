#include <algorithm>

#include "sim/instructions/arithmetic.h"

namespace sim::instructions::cvt_pack {
namespace {

/// Both sources clamped to `bits` bits, a above b; a third source is moved up to make room.
template <int bits, bool is_signed>
struct Pack {
    static uint32_t clamp(int32_t value) {
        constexpr int32_t low = is_signed ? -(1 << (bits - 1)) : 0, high = (1 << (bits - is_signed)) - 1;
        return uint32_t(std::clamp(value, low, high)) & ((1u << bits) - 1);
    }
    uint32_t operator()(int32_t a, int32_t b) const { return clamp(a) << bits | clamp(b); }
    uint32_t operator()(int32_t a, int32_t b, uint32_t c) const { return c << (2 * bits) | (*this)(a, b); }
};

Handler decode(Decoder& d) {
    same_width(d, 4);
    const auto to = d.value(".to");
    if (d.form.index() == 0)
        return to == ".u16" ? lanewise<Pack<16, false>, uint32_t, int32_t, int32_t>
                            : lanewise<Pack<16, true>, uint32_t, int32_t, int32_t>;
    return d.value(".narrow") == ".u8" ? lanewise<Pack<8, false>, uint32_t, int32_t, int32_t, uint32_t>
                                       : lanewise<Pack<8, true>, uint32_t, int32_t, int32_t, uint32_t>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "cvt.pack",
        .syntax = R"(
        cvt.pack.sat.to.s32 d, a, b;
        cvt.pack.sat.narrow.s32.b32 d, a, b, c;
        .to = { .u16, .s16 };
        .narrow = { .u8, .s8 };
)",
        .isa = 65,
        .sm = 72,
        .manual = "data-movement-and-conversion-instructions-cvt-pack",
        .decode = decode,
    },
};

} // namespace sim::instructions::cvt_pack
