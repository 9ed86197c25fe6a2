#include <algorithm>

#include "sim/instructions/carry.h"
#include "sim/instructions/fused.h"
#include "sim/instructions/product.h"

namespace sim::instructions::mad {
namespace {

struct LowMultiplyAdd {
    template <class T>
    T operator()(T a, T b, T c) const {
        return T(Wrapping<T>(a) * Wrapping<T>(b) + Wrapping<T>(c));
    }
};

struct HighMultiplyAdd {
    template <class T>
    T operator()(T a, T b, T c) const {
        return T(Wrapping<T>(HighProduct{}(a, b)) + Wrapping<T>(c));
    }
};

struct SaturatingMultiplyAdd {
    int32_t operator()(int32_t a, int32_t b, int32_t c) const {
        const int64_t exact = int64_t{HighProduct{}(a, b)} + c;
        return int32_t(std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX));
    }
};

struct WideMultiplyAdd {
    template <class T, class W>
    W operator()(T a, T b, W c) const {
        return W(std::make_unsigned_t<W>(WideProduct{}(a, b)) + std::make_unsigned_t<W>(c));
    }
};

Handler decode(Decoder& d) {
    const Type type = last_type(d);
    if (is_float(type))
        return single_or_double<FusedMultiplyAdd, 3>(d, type);
    if (d.has(".cc"))
        return carry_multiply_add(d, type, false, true);
    if (d.has(".sat")) {
        same_width(d, 4);
        return uniform<SaturatingMultiplyAdd, int32_t, 3>;
    }
    if (d.has(".wide")) {
        const uint32_t bytes = bytes_of(type);
        d.op.d = destination(d, 0, 2 * bytes);
        d.op.a = d.read(1, bytes);
        d.op.b = d.read(2, bytes);
        d.op.c = d.read(3, 2 * bytes);
        return wide<WideMultiplyAdd, 3>(d, type);
    }
    return d.has(".lo") || d.value(".mode") == ".lo" ? integer<LowMultiplyAdd, 3>(d, type)
                                                     : integer<HighMultiplyAdd, 3>(d, type);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "mad",
        .syntax = R"(
        mad.mode.type d, a, b, c;
        mad.wide.narrow d, a, b, c;
        mad.hi.sat.s32 d, a, b, c;
        mad.mode.cc.carry d, a, b, c;
        mad{.rnd}{.ftz}{.sat}.f32 d, a, b, c;
        mad.rnd.f64 d, a, b, c;
        .mode = { .hi, .lo };
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
        .narrow = { .u16, .u32, .s16, .s32 };
        .carry = { .u32, .s32, .u64, .s64 };
        .rnd = { .rn, .rz, .rm, .rp };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-mad",
        .decode = decode,
    },
};

} // namespace sim::instructions::mad
