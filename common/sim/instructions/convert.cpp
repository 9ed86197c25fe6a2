#include "sim/instructions/convert.h"

#include <algorithm>
#include <cstring>

namespace sim::instructions {
namespace {

template <class T, class Register>
void load_integer(const std::byte* source, bool, Lanes& out) {
    for (size_t lane = 0; lane < 32; ++lane) {
        Register value;
        std::memcpy(&value, source + lane * sizeof value, sizeof value);
        out.integer[lane] = T(value);
    }
}

template <class T, class Register>
void store_integer(const Lanes& in, uint32_t mask, std::byte* destination) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<Register>, Register>;
    for_lanes(mask, [&](int lane) {
        const auto value = Wide(T(in.integer[lane])); // extended to the register's width
        std::memcpy(destination + size_t(lane) * sizeof value, &value, sizeof value);
    });
}

template <class Register>
double as_real(Register bits, Type type, bool ftz) {
    if (type.kind == Kind::brain_float)
        return Brain::load<false>(uint16_t(bits));
    if (type.bits == 16)
        return Binary16::load<false>(uint16_t(bits)); // .ftz is about .f32 alone
    const auto value = std::bit_cast<float>(uint32_t(bits));
    return double(ftz ? flush(value) : value);
}

enum class Real { f16, bf16, f32, f64 };
template <Real real>
constexpr Type real_type = {real == Real::bf16 ? Kind::brain_float : Kind::floating, real == Real::f32 ? 32 : 16,
                            false};

template <Real real, class Register>
void load_real(const std::byte* source, bool ftz, Lanes& out) {
    for (size_t lane = 0; lane < 32; ++lane) {
        Register bits;
        std::memcpy(&bits, source + lane * sizeof bits, sizeof bits);
        if constexpr (real == Real::f64)
            out.real[lane] = std::bit_cast<double>(bits);
        else
            out.real[lane] = as_real(bits, real_type<real>, ftz);
    }
}

template <Real real, class Register>
void store_real(const Lanes& in, uint32_t mask, std::byte* destination) {
    for_lanes(mask, [&](int lane) {
        const double value = in.real[lane];
        Register bits;
        if constexpr (real == Real::f64)
            bits = std::bit_cast<uint64_t>(value);
        else if constexpr (real == Real::f32)
            bits = value != value ? canonical_nan : std::bit_cast<uint32_t>(float(value));
        else if constexpr (real == Real::f16)
            bits = Binary16::store<false>(value);
        else
            bits = Brain::store<false>(value);
        std::memcpy(destination + size_t(lane) * sizeof bits, &bits, sizeof bits);
    });
}

template <template <class> class Choose>
void for_register(uint32_t bytes, Conversion& c) {
    if (bytes == 2)
        Choose<uint16_t>::run(c);
    else if (bytes == 4)
        Choose<uint32_t>::run(c);
    else
        Choose<uint64_t>::run(c);
}

template <class Register>
struct ChooseLoad {
    static void run(Conversion& c) {
        const bool s = is_signed(c.from);
        if (c.from.kind == Kind::brain_float)
            c.load = load_real<Real::bf16, Register>;
        else if (is_float(c.from))
            c.load = c.from.bits == 16 ? load_real<Real::f16, Register> : load_real<Real::f32, Register>;
        else if (c.from.bits == 8)
            c.load = s ? load_integer<int8_t, Register> : load_integer<uint8_t, Register>;
        else if (c.from.bits == 16)
            c.load = s ? load_integer<int16_t, Register> : load_integer<uint16_t, Register>;
        else if (c.from.bits == 32)
            c.load = s ? load_integer<int32_t, Register> : load_integer<uint32_t, Register>;
        else
            c.load = s ? load_integer<int64_t, Register> : load_integer<uint64_t, Register>;
        if constexpr (sizeof(Register) == 8)
            if (is_float(c.from) && c.from.bits == 64)
                c.load = load_real<Real::f64, Register>;
    }
};

template <class Register>
struct ChooseStore {
    static void run(Conversion& c) {
        const bool s = is_signed(c.to);
        if (c.to.kind == Kind::brain_float)
            c.store = store_real<Real::bf16, Register>;
        else if (is_float(c.to) && c.to.bits == 16)
            c.store = store_real<Real::f16, Register>;
        else if (c.to.bits == 8)
            c.store = s ? store_integer<int8_t, Register> : store_integer<uint8_t, Register>;
        else if (c.to.bits == 16)
            c.store = s ? store_integer<int16_t, Register> : store_integer<uint16_t, Register>;
        if constexpr (sizeof(Register) >= 4) {
            if (is_float(c.to) && c.to.bits == 32)
                c.store = store_real<Real::f32, Register>;
            else if (c.to.bits == 32)
                c.store = s ? store_integer<int32_t, Register> : store_integer<uint32_t, Register>;
        }
        if constexpr (sizeof(Register) == 8) {
            if (is_float(c.to) && c.to.bits == 64)
                c.store = store_real<Real::f64, Register>;
            else if (c.to.bits == 64)
                c.store = s ? store_integer<int64_t, Register> : store_integer<uint64_t, Register>;
        }
    }
};

int128 least(Type type) {
    return is_signed(type) ? -(int128(1) << (type.bits - 1)) : 0;
}
int128 greatest(Type type) {
    return (int128(1) << (type.bits - is_signed(type))) - 1;
}

/// The integer rounded to a double in this mode; with `odd`, ready for another rounding.
double to_double(int128 value, Rounding mode, bool odd) {
    const auto nearest = double(value);
    const int128 error = value - int128(nearest);
    if (error == 0)
        return nearest;
    if (odd)
        return to_odd(nearest, double(error));
    if ((mode == Rounding::down || (mode == Rounding::zero && value > 0)) && error < 0)
        return std::nextafter(nearest, -INFINITY);
    if ((mode == Rounding::up || (mode == Rounding::zero && value < 0)) && error > 0)
        return std::nextafter(nearest, INFINITY);
    return nearest;
}

/// Out of range is clamped. NaN is 0, or the top bit alone where a 64-bit type is involved.
int128 to_integer(const Conversion& c, double value) {
    if (value != value) {
        const bool wide = (is_float(c.from) && c.from.bits == 64) || c.to.bits == 64;
        return wide ? (is_signed(c.to) ? least(c.to) : int128(1) << (c.to.bits - 1)) : 0;
    }
    value = round_integral(value, c.rounding);
    if (value <= -0x1p64 || value >= 0x1p64)
        return value < 0 ? least(c.to) : greatest(c.to);
    return std::clamp(int128(value), least(c.to), greatest(c.to));
}

const Format* format_of(Type type) {
    if (type.kind == Kind::brain_float)
        return &bfloat16;
    return type.bits == 16 ? &binary16 : type.bits == 32 ? &binary32 : nullptr;
}

double to_real(const Conversion& c, double value) {
    if (c.to_integral)
        value = round_integral(value, c.rounding);
    if (c.sat)
        value = saturate(value);
    if (c.relu && value <= 0)
        value = 0;
    const Format* format = format_of(c.to);
    if (!format)
        return value;
    value = round_to(value, *format, c.rounding);
    if (c.satfinite && std::isinf(value))
        value = std::copysign(format->largest, value);
    if (c.ftz && c.to.bits == 32 && std::fabs(value) < 0x1p-126)
        value = std::copysign(0.0, value);
    return value;
}

} // namespace

bool choose_access(Conversion& c) {
    for_register<ChooseLoad>(c.from_bytes, c);
    for_register<ChooseStore>(c.to_bytes, c);
    return c.load && c.store && c.from_bytes * 8 >= c.from.bits && c.to_bytes * 8 >= c.to.bits;
}

void convert(const Conversion& c, Lanes& lanes) {
    const bool from_real = is_float(c.from), to_float = is_float(c.to);
    for (int lane = 0; lane < 32; ++lane) {
        int128& integer = lanes.integer[lane];
        double& real = lanes.real[lane];
        if (!from_real && !to_float)
            integer = c.sat ? std::clamp(integer, least(c.to), greatest(c.to)) : integer;
        else if (!to_float)
            integer = to_integer(c, real);
        else
            real = to_real(c, from_real ? real : to_double(integer, c.rounding, c.to.bits != 64));
    }
}

} // namespace sim::instructions
