#include "sim/instructions/floating.h"
#include "sim/instructions/product.h"

namespace sim::instructions::mul {
namespace {

struct Product {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>)
            return T(Wrapping<T>(a) * Wrapping<T>(b));
        else
            return a * b;
    }
};

Handler decode(Decoder& d) {
    const Type type = last_type(d);
    if (type.packed && type.bits == 64)
        return pair_of_singles<Product, 2>(d);
    if (is_float(type))
        return floating<Product, 2>(d, type);
    if (d.value(".mode") == ".lo")
        return integer<Product, 2>(d, type);
    const uint32_t bytes = bytes_of(type);
    if (d.value(".mode") == ".hi")
        return integer<HighProduct, 2>(d, type);
    d.op.d = destination(d, 0, 2 * bytes);
    d.op.a = d.read(1, bytes);
    d.op.b = d.read(2, bytes);
    return wide<WideProduct, 2>(d, type);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "mul",
        .syntax = R"(
        mul.mode.type d, a, b;
        mul.wide.narrow d, a, b;
        mul{.rnd}{.ftz}{.sat}.f32 d, a, b;
        mul{.rnd}{.ftz}.f32x2 d, a, b;
        mul{.rnd}.f64 d, a, b;
        mul{.rn}{.ftz}{.sat}.half d, a, b;
        mul{.rn}.brain d, a, b;
        .mode = { .hi, .lo };
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
        .narrow = { .u16, .u32, .s16, .s32 };
        .half = { .f16, .f16x2 };
        .brain = { .bf16, .bf16x2 };
        .rnd = { .rn, .rz, .rm, .rp };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-mul",
        .decode = decode,
    },
};

} // namespace sim::instructions::mul
