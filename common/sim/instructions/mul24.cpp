#include <algorithm>

#include "sim/instructions/arithmetic.h"

namespace sim::instructions::mul24 {
namespace {

template <class T>
auto product24(T a, T b) {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    const auto low24 = [](T v) { return Wide(T(uint32_t(v) << 8) >> 8); };
    return low24(a) * low24(b);
}

template <bool high>
struct Product24 {
    template <class T>
    T operator()(T a, T b) const {
        return T(product24(a, b) >> (high ? 16 : 0));
    }
    template <class T>
    T operator()(T a, T b, T c) const {
        return T(uint32_t((*this)(a, b)) + uint32_t(c));
    }
};

struct Saturating24 {
    int32_t operator()(int32_t a, int32_t b, int32_t c) const {
        return int32_t(std::clamp<int64_t>(int64_t{Product24<true>{}(a, b)} + c, INT32_MIN, INT32_MAX));
    }
};

Handler mul24(Decoder& d) {
    return d.value(".mode") == ".hi" ? integer<Product24<true>, 2>(d, d.type())
                                     : integer<Product24<false>, 2>(d, d.type());
}

Handler mad24(Decoder& d) {
    if (d.has(".sat")) {
        same_width(d, 4);
        return uniform<Saturating24, int32_t, 3>;
    }
    return d.value(".mode") == ".hi" ? integer<Product24<true>, 3>(d, d.type())
                                     : integer<Product24<false>, 3>(d, d.type());
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "mul24",
        .syntax = R"(
        mul24.mode.type d, a, b;
        .mode = { .hi, .lo };
        .type = { .u32, .s32 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-mul24",
        .decode = mul24,
    },
    {
        .name = "mad24",
        .syntax = R"(
        mad24.mode.type d, a, b, c;
        mad24.hi.sat.s32 d, a, b, c;
        .mode = { .hi, .lo };
        .type = { .u32, .s32 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-mad24",
        .decode = mad24,
    },
};

} // namespace sim::instructions::mul24
