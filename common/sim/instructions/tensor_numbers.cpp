#include "sim/instructions/tensor_numbers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "sim/instructions/tensor_float.h"

namespace sim::instructions::tensor {
namespace {

struct Format {
    std::string_view name;
    uint32_t bits;
    bool floating = false;
};
constexpr Format formats[] = {{".f16", 16, true}, {".bf16", 16, true}, {".tf32", 32, true}, {".f32", 32, true},
                              {".f64", 64, true}, {".e4m3", 8, true},  {".e5m2", 8, true},  {".u8", 8},
                              {".s8", 8},         {".u4", 4},          {".s4", 4},          {".b1", 1},
                              {".s32", 32}};

const Format& format(Element element) {
    return formats[size_t(element)];
}

template <class Float>
void decode_floats(Multiplicand& to, uint32_t count, bool negate) {
    const uint32_t flip = negate ? 1u << 31 : 0;
    Extent extent;
    uint32_t special = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const Parts parts = take_apart<Float>(to.bits[i]);
        const uint32_t sign = (to.bits[i] << (32 - Float::bits) & 1u << 31) ^ flip;
        to.significand[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(parts.significand) | sign);
        to.exponent[i] = parts.exponent;
        to.number[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(parts.number) | sign);
        extent.top = std::max(extent.top, parts.exponent);
        extent.unit = std::min(extent.unit, parts.unit);
        special |= parts.special;
    }
    extent.special = special != 0;
    to.extent = extent;
}

template <class Float>
void find_special(Multiplicand& to, uint32_t lines, uint32_t depth, Major major) {
    for (uint32_t line = 0; line < lines; ++line)
        for (uint32_t k = 0; k < depth; ++k) {
            const uint32_t at = major == Major::line ? line * depth + k : k * lines + line;
            if (take_apart<Float>(to.bits[at]).special)
                to.special[line] = true;
        }
}

template <class Bits>
void spread(const std::byte* from, uint32_t* to, uint32_t stride) {
    Bits elements[16 / sizeof(Bits)];
    std::memcpy(elements, from, 16);
    for (uint32_t i = 0; i < std::size(elements); ++i)
        to[i * stride] = elements[i];
}

} // namespace

Element element_named(std::string_view modifier) {
    const auto* found = std::ranges::find(formats, modifier, &Format::name);
    return Element(found - formats);
}

uint32_t bits_of(Element element) {
    return format(element).bits;
}

bool is_floating(Element element) {
    return format(element).floating;
}

void Multiplicand::put(const std::byte* from, uint32_t size, uint32_t at, uint32_t stride) {
    size == 1   ? spread<uint8_t>(from, bits + at, stride)
    : size == 2 ? spread<uint16_t>(from, bits + at, stride)
                : spread<uint32_t>(from, bits + at, stride);
}

void Multiplicand::decode(Element element, uint32_t lines, uint32_t depth, Major major, bool negate) {
    const uint32_t count = lines * depth;
    const auto as = [&]<class Float>(Float) {
        decode_floats<Float>(*this, count, negate);
        std::fill_n(special, lines, false);
        if (extent.special)
            find_special<Float>(*this, lines, depth, major);
    };
    switch (element) {
    case Element::f16:
        return as(F16{});
    case Element::bf16:
        return as(BF16{});
    case Element::tf32:
        return as(TF32{});
    case Element::e4m3:
        return as(E4M3{});
    case Element::e5m2:
        return as(E5M2{});
    default:
        break;
    }
    // Signed elements narrower than a word arrive without their sign.
    const uint32_t above = element == Element::s8 ? 24 : element == Element::s4 ? 28 : 0;
    for (uint32_t i = 0; i < count; ++i)
        integer[i] = int32_t(bits[i] << above) >> above;
}

} // namespace sim::instructions::tensor
