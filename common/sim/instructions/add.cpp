#include <algorithm>

#include "sim/instructions/floating.h"

namespace sim::instructions::add {
namespace {

struct Sum {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>)
            return T(Wrapping<T>(a) + Wrapping<T>(b));
        else
            return a + b;
    }
};

struct SaturatingSum {
    int32_t operator()(int32_t a, int32_t b) const {
        const int64_t exact = int64_t{a} + b;
        return int32_t(std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX));
    }
};

Handler decode(Decoder& d) {
    if (d.has(".narrow"))
        return mixed_precision<Sum, 2>(d);
    const Type type = last_type(d);
    if (type.packed && type.bits == 64)
        return pair_of_singles<Sum, 2>(d);
    if (is_float(type))
        return floating<Sum, 2>(d, type);
    if (d.has(".sat")) {
        same_width(d, 4);
        return uniform<SaturatingSum, int32_t, 2>;
    }
    return integer<Sum, 2>(d, type);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "add",
        .syntax = R"(
        add.type d, a, b;
        add.sat.s32 d, a, b;
        add{.rnd}{.ftz}{.sat}.f32 d, a, b;
        add{.rnd}{.ftz}.f32x2 d, a, b;
        add{.rnd}{.sat}.f32.narrow d, a, c;
        add{.rnd}.f64 d, a, b;
        add{.rn}{.ftz}{.sat}.half d, a, b;
        add{.rn}.brain d, a, b;
        .type = { .u16, .u32, .u64, .s16, .s32, .s64, .u16x2, .s16x2 };
        .half = { .f16, .f16x2 };
        .brain = { .bf16, .bf16x2 };
        .narrow = { .f16, .bf16 };
        .rnd = { .rn, .rz, .rm, .rp };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-add",
        .decode = decode,
    },
};

} // namespace sim::instructions::add
