#include "sim/instructions/mov_vector.h"

#include <algorithm>

namespace sim::instructions {
namespace {

constexpr OperandRef Op::*source_parts[] = {&Op::a, &Op::b, &Op::c, &Op::e};

template <class T, class Part>
Flow pack(Exec& x, const Op& op) {
    constexpr int count = sizeof(T) / sizeof(Part);
    const Part* part[count];
    for (int i = 0; i < count; ++i)
        part[i] = x.lanes<Part>(op.*source_parts[i]);
    T* d = x.lanes<T>(op.d);
    for_lanes(x.mask, [&](int lane) {
        T value = 0;
        for (int i = 0; i < count; ++i)
            value |= T(part[i][lane]) << (8 * sizeof(Part) * unsigned(i));
        d[lane] = value;
    });
    return Flow::next;
}

template <class T, class Part>
Flow unpack(Exec& x, const Op& op) {
    constexpr int count = sizeof(T) / sizeof(Part);
    // The source may be one of the destinations only if it has their size, which it has not.
    const T* source = x.lanes<T>(op.d);
    for (int i = 0; i < count; ++i) {
        const OperandRef to = op.*source_parts[i];
        if (to.exists())
            map_lanes(
                x.mask, x.lanes<Part>(to), [i](T v) { return Part(v >> (8 * sizeof(Part) * unsigned(i))); }, source);
    }
    return Flow::next;
}

/// The same with parts of a byte.
template <class T>
Flow pack_bytes(Exec& x, const Op& op) {
    for_lanes(x.mask, [&](int lane) {
        T value = 0;
        for (unsigned i = 0; i < sizeof(T); ++i)
            value = T(value | T(uint8_t(x.lanes<uint16_t>(op.*source_parts[i])[lane])) << (8 * i));
        x.lanes<T>(op.d)[lane] = value;
    });
    return Flow::next;
}

template <class T>
Flow unpack_bytes(Exec& x, const Op& op) {
    for_lanes(x.mask, [&](int lane) {
        const T value = x.lanes<T>(op.d)[lane];
        for (unsigned i = 0; i < sizeof(T); ++i)
            if (const OperandRef to = op.*source_parts[i]; to.exists())
                x.lanes<uint16_t>(to)[lane] = uint8_t(value >> (8 * i));
    });
    return Flow::next;
}

template <class T>
Handler pick_bytes(bool to_vector) {
    return to_vector ? unpack_bytes<T> : pack_bytes<T>;
}

template <class T, class Part>
Handler pick(bool to_vector) {
    return to_vector ? unpack<T, Part> : pack<T, Part>;
}

} // namespace

Handler decode_vector_mov(Decoder& d, uint32_t bytes) {
    using K = ptx::Operand::Kind;
    const bool to_vector = d.operand(0).kind == K::vector;
    const auto& elements = d.operand(to_vector ? 0 : 1).elements;
    const auto count = uint32_t(elements.size());
    if (d.operand(to_vector ? 1 : 0).kind == K::vector || (count != 2 && count != 4))
        d.fail("mov packs or unpacks vectors of two or four registers");
    const uint32_t each = std::max(bytes / count, 2u); // registers of .b8 have 16 bits
    const bool of_bytes = bytes / count == 1;
    if (to_vector) {
        if (bytes == 16 && d.operand(1).kind != K::reg)
            d.fail("mov.b128 unpacks a register");
        d.op.d = d.read(1, bytes); // here `d` is the source
    } else {
        d.op.d = destination(d, 0, bytes);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (!to_vector)
            d.op.*source_parts[i] = d.read(elements[i], each);
        else if (elements[i].kind != K::sink)
            d.op.*source_parts[i] = destination(d, elements[i], each);
    }
    if (of_bytes)
        return bytes == 2 ? pick_bytes<uint16_t>(to_vector) : pick_bytes<uint32_t>(to_vector);
    switch (bytes * 16 + each) {
    case 4 * 16 + 2:
        return pick<uint32_t, uint16_t>(to_vector);
    case 8 * 16 + 4:
        return pick<uint64_t, uint32_t>(to_vector);
    case 8 * 16 + 2:
        return pick<uint64_t, uint16_t>(to_vector);
    case 16 * 16 + 8:
        return pick<uint128, uint64_t>(to_vector);
    case 16 * 16 + 4:
        return pick<uint128, uint32_t>(to_vector);
    default:
        d.fail("mov: no vector of this shape");
    }
}

} // namespace sim::instructions
