// Integer products: the upper half, and the double-width result of mul.wide and mad.wide.
#pragma once

#include "sim/instructions/arithmetic.h"

namespace sim::instructions {

template <class T>
struct Doubled;
template <>
struct Doubled<uint16_t> {
    using type = uint32_t;
};
template <>
struct Doubled<int16_t> {
    using type = int32_t;
};
template <>
struct Doubled<uint32_t> {
    using type = uint64_t;
};
template <>
struct Doubled<int32_t> {
    using type = int64_t;
};
__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;
template <>
struct Doubled<uint64_t> {
    using type = uint128;
};
template <>
struct Doubled<int64_t> {
    using type = int128;
};

struct WideProduct {
    template <class T>
    auto operator()(T a, T b) const {
        using Wide = typename Doubled<T>::type;
        return Wide(Wide(a) * Wide(b));
    }
};

struct HighProduct {
    template <class T>
    T operator()(T a, T b) const {
        return T(WideProduct{}(a, b) >> (8 * sizeof(T)));
    }
};

/// F with 16- or 32-bit sources a and b and a destination (and third source) of twice the width.
template <class F, size_t N>
Handler wide(Decoder& d, Type type) {
    const auto pick = []<class T>() -> Handler {
        using Wide = typename Doubled<T>::type;
        if constexpr (N == 2)
            return lanewise<F, Wide, T, T>;
        else
            return lanewise<F, Wide, T, T, Wide>;
    };
    const bool s = is_signed(type);
    if (type.bits == 16)
        return s ? pick.template operator()<int16_t>() : pick.template operator()<uint16_t>();
    if (type.bits == 32)
        return s ? pick.template operator()<int32_t>() : pick.template operator()<uint32_t>();
    d.fail("a wide product has 16- or 32-bit sources");
}

} // namespace sim::instructions
