// Conversions that are one vectorised loop: between registers of the types' own widths, rounding to nearest or to zero.
#include "sim/instructions/convert.h"

namespace sim::instructions {
namespace {

template <class T>
using Register = std::conditional_t<sizeof(T) == 1, uint16_t, std::make_unsigned_t<T>>;

/// Integer to integer without saturation: cut to S, extend to D, extend to D's register.
template <class D, class S>
struct Resize {
    auto operator()(Register<S> source) const {
        if constexpr (sizeof(D) == 1 && std::is_signed_v<D>)
            return uint16_t(int16_t(D(S(source))));
        else
            return Register<D>(D(S(source)));
    }
};
template <class D, class S>
constexpr Handler resize = lanewise<Resize<D, S>, Register<D>, Register<S>>;

template <class D>
Handler resize_from(Type from) {
    const bool s = is_signed(from);
    switch (from.bits) {
    case 8:
        return s ? resize<D, int8_t> : resize<D, uint8_t>;
    case 16:
        return s ? resize<D, int16_t> : resize<D, uint16_t>;
    case 32:
        return s ? resize<D, int32_t> : resize<D, uint32_t>;
    default:
        return s ? resize<D, int64_t> : resize<D, uint64_t>;
    }
}

Handler resize_handler(Type to, Type from) {
    const bool s = is_signed(to);
    switch (to.bits) {
    case 8:
        return s ? resize_from<int8_t>(from) : resize_from<uint8_t>(from);
    case 16:
        return s ? resize_from<int16_t>(from) : resize_from<uint16_t>(from);
    case 32:
        return s ? resize_from<int32_t>(from) : resize_from<uint32_t>(from);
    default:
        return s ? resize_from<int64_t>(from) : resize_from<uint64_t>(from);
    }
}

template <class D>
struct ToReal {
    template <class S>
    D operator()(S source) const {
        return D(source);
    }
};

template <class D>
Handler real_from(Type from) {
    const bool s = is_signed(from);
    if (from.bits == 16)
        return s ? lanewise<ToReal<D>, D, int16_t> : lanewise<ToReal<D>, D, uint16_t>;
    if (from.bits == 32)
        return s ? lanewise<ToReal<D>, D, int32_t> : lanewise<ToReal<D>, D, uint32_t>;
    if (from.bits == 64)
        return s ? lanewise<ToReal<D>, D, int64_t> : lanewise<ToReal<D>, D, uint64_t>;
    return nullptr;
}

/// f32 to a 32-bit integer, by truncation: clamped, NaN is 0.
template <class D>
struct Truncate {
    D operator()(float value) const {
        constexpr double low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
        const auto wide = double(value);
        const double clamped = wide < low ? low : wide > high ? high : wide;
        return value == value ? D(int64_t(clamped)) : D(0);
    }
};

struct Widen {
    double operator()(float value) const { return value; }
};
struct Narrow {
    float operator()(double value) const { return result<false, false>(float(value)); }
};
struct FromHalf {
    float operator()(uint16_t bits) const { return result<false, false>(from_binary16(bits)); }
};
struct ToHalf {
    uint16_t operator()(float value) const { return value == value ? to_binary16(value) : Binary16::nan; }
};
struct ToBrain {
    uint16_t operator()(float value) const { return Brain::round(value); }
};

} // namespace

Handler direct_conversion(const Conversion& c) {
    const auto natural = [](Type type) { return type.bits == 8 ? 2u : type.bits / 8u; };
    if (c.ftz || c.sat || c.relu || c.satfinite || c.from_bytes != natural(c.from) || c.to_bytes != natural(c.to))
        return nullptr;
    const bool nearest = c.rounding == Rounding::nearest_even && !c.to_integral;
    if (!is_float(c.from) && !is_float(c.to))
        return resize_handler(c.to, c.from);
    if (!is_float(c.from)) {
        if (!nearest || c.to.kind == Kind::brain_float || c.to.bits == 16)
            return nullptr;
        return c.to.bits == 64 ? real_from<double>(c.from) : real_from<float>(c.from);
    }
    if (!is_float(c.to)) {
        if (c.rounding != Rounding::zero || c.from.bits != 32 || c.to.bits != 32)
            return nullptr;
        return is_signed(c.to) ? lanewise<Truncate<int32_t>, int32_t, float>
                               : lanewise<Truncate<uint32_t>, uint32_t, float>;
    }
    if (!nearest)
        return nullptr;
    if (c.from.bits == 32 && c.to.bits == 64)
        return lanewise<Widen, double, float>;
    if (c.from.bits == 64 && c.to.bits == 32)
        return lanewise<Narrow, float, double>;
    if (c.from.kind == Kind::floating && c.from.bits == 16 && c.to.bits == 32)
        return lanewise<FromHalf, float, uint16_t>;
    if (c.from.bits == 32 && c.to.bits == 16)
        return c.to.kind == Kind::brain_float ? lanewise<ToBrain, uint16_t, float> : lanewise<ToHalf, uint16_t, float>;
    return nullptr;
}

} // namespace sim::instructions
