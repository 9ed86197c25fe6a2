#include "sim/instructions/tcgen05_numbers.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "sim/instructions/tcgen05_product.h"

namespace sim::instructions::tcgen05 {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();

/// What the largest exponent means.
enum class Top : uint8_t {
    number,      ///< nothing special
    nan_at_ones, ///< a mantissa of ones is a NaN, others are numbers
    special,     ///< as in IEEE 754
};

float small_float(uint32_t bits, int exponents, int mantissas, Top top) {
    const int bias = (1 << (exponents - 1)) - 1, last = (1 << exponents) - 1;
    const int exponent = int(bits >> mantissas) & last, mantissa = int(bits & ((1u << mantissas) - 1));
    float size = exponent ? std::ldexp(float(mantissa | 1 << mantissas), exponent - bias - mantissas)
                          : std::ldexp(float(mantissa), 1 - bias - mantissas);
    if (exponent == last && top == Top::special)
        size = mantissa ? nan : infinity;
    if (exponent == last && top == Top::nan_at_ones && mantissa == (1 << mantissas) - 1)
        size = nan;
    return bits >> (exponents + mantissas) & 1 ? -size : size;
}

using Table = std::array<float, 256>;

Table table(int exponents, int mantissas, Top top) {
    Table values{};
    const uint32_t count = 1u << (1 + exponents + mantissas);
    for (uint32_t bits = 0; bits < values.size(); ++bits)
        values[bits] = small_float(bits % count, exponents, mantissas, top);
    return values;
}

const Table& table_of(Format format) {
    static const Table e4m3 = table(4, 3, Top::nan_at_ones), e5m2 = table(5, 2, Top::special);
    static const Table e2m3 = table(2, 3, Top::number), e3m2 = table(3, 2, Top::number),
                       e2m1 = table(2, 1, Top::number);
    static const Table u8 = [] {
        Table values{};
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float(i);
        return values;
    }();
    static const Table s8 = [] {
        Table values{};
        for (size_t i = 0; i < values.size(); ++i)
            values[i] = float(int8_t(i));
        return values;
    }();
    switch (format) {
    case Format::e4m3:
        return e4m3;
    case Format::e5m2:
        return e5m2;
    case Format::e2m3:
        return e2m3;
    case Format::e3m2:
        return e3m2;
    case Format::e2m1:
        return e2m1;
    case Format::s8:
        return s8;
    default:
        return u8;
    }
}

uint32_t halves(Format format, const uint8_t* bytes, float* to) {
    uint16_t words[8];
    std::memcpy(words, bytes, 16);
    for (uint32_t i = 0; i < 8; ++i)
        to[i] = format == Format::f16 ? from_half(words[i]) : std::bit_cast<float>(uint32_t{words[i]} << 16);
    return 8;
}

uint32_t words(const uint8_t* bytes, float* to) {
    uint32_t words[4];
    std::memcpy(words, bytes, 16);
    for (uint32_t i = 0; i < 4; ++i)
        to[i] = std::bit_cast<float>(words[i] & ~0x1fffu); // tf32
    return 4;
}

} // namespace

void unpack(Format format, const uint8_t from[16], uint8_t to[16]) {
    if (format == Format::e2m1) {
        for (uint32_t i = 0; i < 16; ++i)
            to[i] = uint8_t((from[i / 2] >> 4 * (i % 2) & 15) << 2);
        return;
    }
    for (uint32_t i = 0; i < 16; ++i) { // 6 bits each; the last one ends with byte 11
        const uint32_t at = 6 * i;
        to[i] = uint8_t((from[at / 8] | uint32_t{from[at / 8 + 1]} << 8) >> at % 8 & 63);
    }
}

uint32_t decode(Format format, Packing packing, const uint8_t* bytes, float* to) {
    if (format <= Format::bf16)
        return halves(format, bytes, to);
    if (format == Format::tf32)
        return words(bytes, to);
    const Table& values = table_of(format);
    if (packing == Packing::nibbles) {
        for (uint32_t i = 0; i < 32; ++i)
            to[i] = values[bytes[i / 2] >> 4 * (i % 2) & 15];
        return 32;
    }
    uint8_t containers[16];
    const bool narrow = format == Format::e2m3 || format == Format::e3m2 || format == Format::e2m1;
    if (narrow && packing == Packing::padded)
        unpack(format, bytes, containers);
    else
        std::memcpy(containers, bytes, 16);
    for (uint32_t i = 0; i < 16; ++i)
        to[i] = values[format == Format::e2m1 ? containers[i] >> 2 & 15 : containers[i]];
    return 16;
}

float from_ue8m0(uint8_t bits) {
    return bits == 255 ? nan : std::ldexp(1.0f, int(bits) - 127);
}

float from_ue4m3(uint8_t bits) {
    return small_float(bits & 127, 4, 3, Top::nan_at_ones);
}

} // namespace sim::instructions::tcgen05
