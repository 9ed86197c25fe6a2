// cvt to and from formats of less than a byte and exponents alone, and with stochastic rounding.
#include "sim/instructions/cvt_packed.h"
#include "sim/instructions/narrowing.h"

namespace sim::instructions {
namespace {

/// A packed format: two elements, each of `bits` bits in a field of `field` bits. e4m3 and e5m2 have NaN codes.
struct Small {
    std::string_view name; ///< without the number of elements: ".e2m1"
    const Format* format;
    uint32_t bits, field;
};
constexpr Small smalls[] = {{".e2m1", &e2m1, 4, 4},
                            {".e2m3", &e2m3, 6, 8},
                            {".e3m2", &e3m2, 6, 8},
                            {".e4m3", &e4m3, 8, 8},
                            {".e5m2", &e5m2, 8, 8}};

struct SmallCvt {
    Small small{};
    Narrowing narrowing{};
    bool brain = false; ///< the 16-bit side is bf16
    uint32_t bytes = 2; ///< of the register of the packed side
    std::array<OperandRef, 4> from;
};

const SmallCvt& small_cvt_of(const Op& op) {
    return *static_cast<const SmallCvt*>(op.extra);
}

uint8_t encode(const SmallCvt& p, double value) {
    const double rounded = narrowed(p.narrowing, value);
    return p.small.bits == 8 ? encode8(*p.small.format, rounded) : encode_small(*p.small.format, p.small.bits, rounded);
}

double load16(bool brain, uint16_t bits) {
    return brain ? Brain::load<false>(bits) : Binary16::load<false>(bits);
}
uint16_t store16(bool brain, double value) {
    return brain ? Brain::store<false>(value) : Binary16::store<false>(value);
}

/// Writes a packed result to a register of `bytes` bytes.
void put(Exec& x, OperandRef to, uint32_t bytes, int lane, uint32_t value) {
    if (bytes == 4)
        x.lanes<uint32_t>(to)[lane] = value;
    else
        x.lanes<uint16_t>(to)[lane] = uint16_t(value);
}

Flow singles_to_small(Exec& x, const Op& op) {
    const SmallCvt& p = small_cvt_of(op);
    for_lanes(x.mask, [&](int lane) {
        const uint32_t high = encode(p, x.lanes<float>(op.a)[lane]), low = encode(p, x.lanes<float>(op.b)[lane]);
        put(x, op.d, p.bytes, lane, high << p.small.field | low);
    });
    return Flow::next;
}

Flow halves_to_small(Exec& x, const Op& op) {
    const SmallCvt& p = small_cvt_of(op);
    for_lanes(x.mask, [&](int lane) {
        const uint32_t both = x.lanes<uint32_t>(op.a)[lane];
        const uint32_t high = encode(p, load16(p.brain, uint16_t(both >> 16))),
                       low = encode(p, load16(p.brain, uint16_t(both)));
        put(x, op.d, p.bytes, lane, high << p.small.field | low);
    });
    return Flow::next;
}

Flow small_to_halves(Exec& x, const Op& op) {
    const SmallCvt& p = small_cvt_of(op);
    const uint32_t mask = (1u << p.small.bits) - 1;
    const auto half = [&](uint32_t code) {
        const double value = decode_small(*p.small.format, p.small.bits, uint8_t(code & mask));
        return Binary16::store<false>(p.narrowing.relu && value <= 0 ? 0.0 : value);
    };
    for_lanes(x.mask, [&](int lane) {
        const uint32_t both = x.lanes<uint16_t>(op.a)[lane];
        x.lanes<uint32_t>(op.d)[lane] = uint32_t(half(both >> p.small.field)) << 16 | half(both);
    });
    return Flow::next;
}

/// An exponent of 8 bits that stands for 2^(code - 127); 0xff is NaN. The sign is ignored.
uint8_t encode_exponent(Rounding rounding, bool satfinite, double value) {
    if (value != value)
        return 0xff;
    value = std::fabs(value);
    if (std::isinf(value))
        return satfinite ? 0xfe : 0xff;
    if (value < 0x1p-127)
        return value > 0 && rounding == Rounding::up ? 1 - (value <= 0x1p-127) : 0;
    int exponent = std::ilogb(value);
    if (rounding == Rounding::up && std::ldexp(1.0, exponent) < value)
        ++exponent;
    if (exponent > 127)
        return satfinite ? 0xfe : 0xff;
    return uint8_t(exponent + 127);
}

Flow singles_to_exponents(Exec& x, const Op& op) {
    const Narrowing& n = small_cvt_of(op).narrowing;
    for_lanes(x.mask, [&](int lane) {
        const uint8_t high = encode_exponent(n.rounding, n.satfinite, x.lanes<float>(op.a)[lane]),
                      low = encode_exponent(n.rounding, n.satfinite, x.lanes<float>(op.b)[lane]);
        x.lanes<uint16_t>(op.d)[lane] = uint16_t(high << 8 | low);
    });
    return Flow::next;
}

Flow brains_to_exponents(Exec& x, const Op& op) {
    const Narrowing& n = small_cvt_of(op).narrowing;
    for_lanes(x.mask, [&](int lane) {
        const uint32_t both = x.lanes<uint32_t>(op.a)[lane];
        const auto code = [&](uint16_t bits) {
            return encode_exponent(n.rounding, n.satfinite, Brain::load<false>(bits));
        };
        x.lanes<uint16_t>(op.d)[lane] = uint16_t(code(uint16_t(both >> 16)) << 8 | code(uint16_t(both)));
    });
    return Flow::next;
}

Flow exponents_to_brains(Exec& x, const Op& op) {
    const auto brain = [](uint32_t code) {
        return code == 0xff ? Brain::nan : Brain::store<false>(std::ldexp(1.0, int(code) - 127));
    };
    for_lanes(x.mask, [&](int lane) {
        const uint32_t both = x.lanes<uint16_t>(op.a)[lane];
        x.lanes<uint32_t>(op.d)[lane] = uint32_t(brain(both >> 8)) << 16 | brain(both & 0xff);
    });
    return Flow::next;
}

/// Adds `random`, a number of `bits` bits, below the last place that `format` keeps, and cuts off what is below it.
double stochastic(const Format& format, double value, uint32_t random, int bits) {
    if (value == 0 || !std::isfinite(value))
        return value;
    const int unit = std::max(std::ilogb(value), format.min_exponent) - (format.precision - 1);
    const double scaled = std::ldexp(std::fabs(value), unit * -1) + std::ldexp(double(random), -bits);
    return std::copysign(std::ldexp(std::floor(scaled), unit), value);
}

double stochastic(const SmallCvt& p, double value, uint32_t random, int bits) {
    if (p.narrowing.relu && value <= 0)
        value = 0;
    value = stochastic(*p.narrowing.format, value, random, bits);
    if (std::fabs(value) <= p.narrowing.format->largest || value != value)
        return value;
    return std::copysign(p.narrowing.satfinite ? p.narrowing.format->largest : INFINITY, value);
}

Flow singles_to_halves(Exec& x, const Op& op) {
    const SmallCvt& p = small_cvt_of(op);
    const int bits = p.brain ? 16 : 13;
    const uint32_t mask = (1u << bits) - 1;
    for_lanes(x.mask, [&](int lane) {
        const uint32_t random = x.lanes<uint32_t>(op.c)[lane];
        const double high = stochastic(p, x.lanes<float>(op.a)[lane], random >> 16 & mask, bits),
                     low = stochastic(p, x.lanes<float>(op.b)[lane], random & mask, bits);
        x.lanes<uint32_t>(op.d)[lane] = uint32_t(store16(p.brain, high)) << 16 | store16(p.brain, low);
    });
    return Flow::next;
}

/// a, b, e, f from the upper end. Two share 16 random bits, or the halves of two bytes in .e2m1x4.
Flow singles_to_four(Exec& x, const Op& op) {
    const SmallCvt& p = small_cvt_of(op);
    const bool bytes = p.small.bits == 4;
    for_lanes(x.mask, [&](int lane) {
        const uint32_t random = x.lanes<uint32_t>(op.c)[lane];
        const uint32_t upper = bytes ? (random >> 24 & 0xff) << 8 | (random >> 8 & 0xff) : random >> 16;
        const uint32_t lower = bytes ? (random >> 16 & 0xff) << 8 | (random & 0xff) : random & 0xffff;
        uint32_t value = 0;
        for (size_t i = 0; i < 4; ++i) {
            const double rounded = stochastic(p, x.lanes<float>(p.from[i])[lane], i < 2 ? upper : lower, 16);
            const uint32_t code = p.small.bits == 8 ? encode8(*p.small.format, rounded)
                                                    : encode_small(*p.small.format, p.small.bits, rounded);
            value = value << p.small.field | code;
        }
        put(x, op.d, p.bytes, lane, value);
    });
    return Flow::next;
}

Small small_named(std::string_view modifier) {
    for (const Small& small : smalls)
        if (modifier.starts_with(small.name))
            return small;
    return {};
}

} // namespace

Handler decode_small_cvt(Decoder& d) {
    constexpr std::string_view families = "sm_100f sm_110f sm_120f";
    enum { to_small = 6, halves_to, from_small, brains_to_f8, to_exponent, brains_to_exponent, from_exponent, rs, rs4 };
    const size_t form = d.form.index();
    d.need(form >= rs ? "sm_100a sm_103a" : families, std::string(d.source.opcode));
    SmallCvt p;
    const auto rounding = d.has(".directed") ? rounding_named(d.value(".directed")) : Rounding::nearest_even;
    const auto packed = !d.value(".small").empty()  ? d.value(".small")
                        : !d.value(".f8x2").empty() ? d.value(".f8x2")
                                                    : d.value(".four");
    p.small = small_named(packed);
    p.brain = form == brains_to_f8 || d.value(".halves") == ".bf16x2";
    p.bytes = form == rs4 && p.small.field == 8 ? 4 : 2;
    const Format* format = p.small.format ? p.small.format : p.brain ? &bfloat16 : &binary16;
    p.narrowing = {format, rounding, d.has(".relu"), d.has(".satfinite") || p.small.format != nullptr, p.brain};
    const bool wide = form == from_small || form == from_exponent || form == rs;
    d.op.d = destination(d, 0, wide ? 4 : p.bytes);
    if (form == rs4) {
        const ptx::Operand& four = d.operand(1);
        if (four.kind != ptx::Operand::Kind::vector || four.elements.size() != 4)
            d.fail("this conversion takes four values: {a, b, e, f}");
        for (size_t i = 0; i < 4; ++i)
            p.from[i] = d.read(four.elements[i], 4);
        d.op.c = d.read(2, 4);
    } else {
        d.op.a = d.read(1, form == from_small || form == from_exponent ? 2 : 4);
        if (d.operand_count() > 2)
            d.op.b = d.read(2, 4);
        if (form == rs)
            d.op.c = d.read(3, 4);
    }
    d.op.extra = d.keep(p);
    constexpr Handler handlers[] = {singles_to_small,    halves_to_small,      small_to_halves,
                                    halves_to_small,     singles_to_exponents, brains_to_exponents,
                                    exponents_to_brains, singles_to_halves,    singles_to_four};
    return handlers[form - to_small];
}

} // namespace sim::instructions
