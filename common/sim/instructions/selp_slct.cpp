#include "sim/instructions/floating.h"

namespace sim::instructions::selp_slct {
namespace {

template <class T>
Flow selp(Exec& x, const Op& op) {
    const uint32_t first = x.predicate(op.c, uint32_t(op.imm));
    T* d = x.lanes<T>(op.d);
    const T *a = x.lanes<T>(op.a), *b = x.lanes<T>(op.b);
    if (x.mask == all_lanes) {
#pragma GCC ivdep
        for (uint32_t lane = 0; lane < 32; ++lane)
            d[lane] = first >> lane & 1 ? a[lane] : b[lane];
    } else {
        for_lanes(x.mask, [&](int lane) { d[lane] = first >> lane & 1 ? a[lane] : b[lane]; });
    }
    return Flow::next;
}

Handler decode_selp(Decoder& d) {
    const uint32_t bytes = bytes_of(d.type());
    d.op.d = destination(d, 0, bytes);
    d.op.a = d.read(1, bytes);
    d.op.b = d.read(2, bytes);
    uint32_t flip;
    d.op.c = d.predicate(3, flip);
    d.op.imm = flip;
    return bytes == 2 ? selp<uint16_t> : bytes == 4 ? selp<uint32_t> : selp<uint64_t>;
}

/// a where c is not negative (-0 counts as zero), b elsewhere and where c is NaN.
template <bool ftz>
struct Select {
    template <class T, class C>
    T operator()(T a, T b, C c) const {
        return c >= C(0) ? a : b;
    }
};

template <class T>
Handler pick(Type selector) {
    return is_float(selector) ? lanewise<Select<false>, T, T, T, float> : lanewise<Select<false>, T, T, T, int32_t>;
}

template <class T>
Flow slct_ftz(Exec& x, const Op& op) {
    map_lanes(
        x.mask, x.lanes<T>(op.d), [](T a, T b, float c) { return flush(c) >= 0 ? a : b; }, x.lanes<T>(op.a),
        x.lanes<T>(op.b), x.lanes<float>(op.c));
    return Flow::next;
}

Handler decode_slct(Decoder& d) {
    const uint32_t bytes = bytes_of(d.type(".dtype"));
    d.op.d = destination(d, 0, bytes);
    d.op.a = d.read(1, bytes);
    d.op.b = d.read(2, bytes);
    d.op.c = d.read(3, 4);
    const bool ftz = d.has(".ftz");
    const Type selector = d.type(".selector");
    if (bytes == 2)
        return ftz ? slct_ftz<uint16_t> : pick<uint16_t>(selector);
    if (bytes == 4)
        return ftz ? slct_ftz<uint32_t> : pick<uint32_t>(selector);
    return ftz ? slct_ftz<uint64_t> : pick<uint64_t>(selector);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "selp",
        .syntax = R"(
        selp.type d, a, b, c;
        .type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "comparison-and-selection-instructions-selp",
        .decode = decode_selp,
        .use = Use::select,
    },
    {
        .name = "slct",
        .syntax = R"(
        slct.dtype.selector d, a, b, c;
        slct{.ftz}.dtype.selector d, a, b, c;
        .dtype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
        .selector = { .s32, .f32 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "comparison-and-selection-instructions-slct",
        .decode = decode_slct,
    },
};

} // namespace sim::instructions::selp_slct
