// Handlers that compute each lane by itself: the hot path. The function is a template argument, so that each handler is
// one loop over 32 lanes that the compiler vectorises.
#pragma once

#include <limits>
#include <utility>

#include "sim/instructions/operands.h"

namespace sim::instructions {

/// d[lane] = F(a[lane], b[lane], ...) with D the destination's and S the sources' C++ types.
template <class F, class D, class... S>
Flow lanewise(Exec& x, const Op& op) {
    static constexpr OperandRef Op::*sources[] = {&Op::a, &Op::b, &Op::c, &Op::e};
    [&]<size_t... I>(std::index_sequence<I...>) {
        map_lanes(x.mask, x.lanes<D>(op.d), F{}, x.lanes<S>(op.*sources[I])...);
    }
    (std::index_sequence_for<S...>{});
    return Flow::next;
}

/// The unsigned type in which arithmetic on T wraps without overflowing `int`.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// F on both 16-bit halves of a 32-bit register.
template <class F, class T>
struct BothHalves {
    template <class... S>
    uint32_t operator()(S... s) const {
        const auto low = F{}(T(uint16_t(s))...), high = F{}(T(uint16_t(s >> 16))...);
        return uint32_t(uint16_t(low)) | uint32_t(uint16_t(high)) << 16;
    }
};

namespace detail {
template <class T, size_t>
using Repeat = T;
template <class F, class T, size_t... I>
constexpr Handler uniform(std::index_sequence<I...>) {
    return lanewise<F, T, Repeat<T, I>...>;
}
} // namespace detail

/// Handler with N sources of the destination's own type.
template <class F, class T, size_t N>
inline constexpr Handler uniform = detail::uniform<F, T>(std::make_index_sequence<N>{});

/// Decodes `d, a, ...` of an integer type, packed or not.
template <class F, size_t N>
Handler integer(Decoder& d, Type type) {
    same_width(d, bytes_of(type));
    if (type.packed)
        return is_signed(type) ? uniform<BothHalves<F, int16_t>, uint32_t, N>
                               : uniform<BothHalves<F, uint16_t>, uint32_t, N>;
    return for_integer(d, type, []<class T>() -> Handler { return uniform<F, T, N>; });
}

} // namespace sim::instructions
