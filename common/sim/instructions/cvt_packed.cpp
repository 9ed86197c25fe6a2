#include "sim/instructions/cvt_packed.h"

#include "sim/instructions/narrowing.h"

namespace sim::instructions {
namespace {

uint16_t encode16(bool brain, double value) {
    return brain ? Brain::store<false>(value) : Binary16::store<false>(value);
}

const Narrowing& parameters(const Op& op) {
    return *static_cast<const Narrowing*>(op.extra);
}

/// {a, b} of f32: a becomes the upper half.
Flow pair_of_singles(Exec& x, const Op& op) {
    const Narrowing& n = parameters(op);
    const float *a = x.lanes<float>(op.a), *b = x.lanes<float>(op.b);
    uint32_t* d = x.lanes<uint32_t>(op.d);
    if (n.rounding == Rounding::nearest_even && !n.relu && !n.satfinite) {
        if (n.brain)
            map_lanes(
                x.mask, d, [](float u, float v) { return uint32_t(Brain::round(u)) << 16 | Brain::round(v); }, a, b);
        else
            map_lanes(
                x.mask, d,
                [](float u, float v) { return uint32_t(Binary16::store<false>(u)) << 16 | Binary16::store<false>(v); },
                a, b);
        return Flow::next;
    }
    for_lanes(x.mask, [&](int lane) {
        d[lane] = uint32_t(encode16(n.brain, narrowed(n, a[lane]))) << 16 | encode16(n.brain, narrowed(n, b[lane]));
    });
    return Flow::next;
}

Flow single_to_tf32(Exec& x, const Op& op) {
    for_lanes(x.mask, [&](int lane) {
        x.lanes<float>(op.d)[lane] = result<false, false>(float(narrowed(parameters(op), x.lanes<float>(op.a)[lane])));
    });
    return Flow::next;
}

Flow pair_to_bytes(Exec& x, const Op& op) {
    const Narrowing& n = parameters(op);
    const float *a = x.lanes<float>(op.a), *b = x.lanes<float>(op.b);
    for_lanes(x.mask, [&](int lane) {
        const uint8_t high = encode8(*n.format, narrowed(n, a[lane])), low = encode8(*n.format, narrowed(n, b[lane]));
        x.lanes<uint16_t>(op.d)[lane] = uint16_t(high << 8 | low);
    });
    return Flow::next;
}

Flow halves_to_bytes(Exec& x, const Op& op) {
    const Narrowing& n = parameters(op);
    for_lanes(x.mask, [&](int lane) {
        const uint32_t both = x.lanes<uint32_t>(op.a)[lane];
        const uint8_t high = encode8(*n.format, narrowed(n, Binary16::load<false>(uint16_t(both >> 16))));
        const uint8_t low = encode8(*n.format, narrowed(n, Binary16::load<false>(uint16_t(both))));
        x.lanes<uint16_t>(op.d)[lane] = uint16_t(high << 8 | low);
    });
    return Flow::next;
}

Flow bytes_to_halves(Exec& x, const Op& op) {
    const Narrowing& n = parameters(op);
    const auto half = [&](uint8_t bits) {
        const double value = decode8(*n.format, bits);
        return Binary16::store<false>(n.relu && value <= 0 ? 0.0 : value);
    };
    for_lanes(x.mask, [&](int lane) {
        const uint16_t both = x.lanes<uint16_t>(op.a)[lane];
        x.lanes<uint32_t>(op.d)[lane] = uint32_t(half(uint8_t(both >> 8))) << 16 | half(uint8_t(both));
    });
    return Flow::next;
}

} // namespace

Handler decode_packed_cvt(Decoder& d) {
    if (d.form.index() > 5)
        return decode_small_cvt(d);
    struct Shape {
        uint32_t to, from;
        Handler run;
    };
    static constexpr Shape shapes[] = {{4, 4, pair_of_singles},
                                       {4, 4, single_to_tf32},
                                       {2, 4, pair_to_bytes},
                                       {2, 4, halves_to_bytes},
                                       {4, 2, bytes_to_halves}};
    const size_t form = d.form.index() - 1;
    const Shape& shape = shapes[form];
    const bool brain = d.value(".pair") == ".bf16x2";
    const Format* formats[] = {brain ? &bfloat16 : &binary16, &tf32};
    const Format* format = form < 2 ? formats[form] : d.value(".f8x2") == ".e4m3x2" ? &e4m3 : &e5m2;
    d.op.d = destination(d, 0, shape.to);
    d.op.a = d.read(1, shape.from);
    if (d.operand_count() > 2)
        d.op.b = d.read(2, shape.from);
    d.op.extra = d.keep(Narrowing{format, rounding_named(d.value(".rnd")), d.has(".relu"), d.has(".satfinite"), brain});
    return shape.run;
}

} // namespace sim::instructions
