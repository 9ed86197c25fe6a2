#include <cmath>

#include <doctest/doctest.h>

#include "snippet.h"

// f16 and bf16 against a reference that works on exact rationals: a 16-bit value is an integer times a power of two, so
// sums and products are exact in 512-bit fixed point, represented here by long double where it suffices and by integers
// where it does not.

namespace half_test {

struct Format {
    int mantissa, exponent_bits;
    int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr Format f16{10, 5}, bf16{7, 8};

/// value = significand * 2^exponent
struct Number {
    bool nan = false, infinite = false, negative = false;
    __extension__ typedef unsigned __int128 Wide;
    Wide significand = 0;
    int exponent = 0;
};

Number decode(Format f, uint16_t v) {
    Number n;
    n.negative = v >> 15;
    const int field = v >> f.mantissa & ((1 << f.exponent_bits) - 1), low = v & ((1 << f.mantissa) - 1);
    if (field == (1 << f.exponent_bits) - 1) {
        (low ? n.nan : n.infinite) = true;
        return n;
    }
    n.significand = unsigned(field ? low | 1 << f.mantissa : low);
    n.exponent = std::max(field, 1) - f.bias() - f.mantissa;
    return n;
}

/// Rounds to nearest even.
uint16_t encode(Format f, const Number& n) {
    const uint16_t sign = n.negative ? 0x8000 : 0;
    const uint16_t infinity = uint16_t(((1 << f.exponent_bits) - 1) << f.mantissa);
    if (n.nan)
        return 0x7fff;
    if (n.infinite)
        return sign | infinity;
    Number::Wide s = n.significand;
    int e = n.exponent;
    bool sticky = false, half = false;
    const int least = 1 - f.bias() - f.mantissa;
    while (s >> (f.mantissa + 1) || e < least) {
        sticky |= half;
        half = bool(s & 1);
        s >>= 1;
        ++e;
    }
    while (s && !(s >> f.mantissa) && e > least) {
        s <<= 1; // exact: nothing was lost
        --e;
    }
    if (half && (sticky || (s & 1)))
        ++s;
    if (s >> (f.mantissa + 1)) {
        s >>= 1;
        ++e;
    }
    const int field = s >> f.mantissa ? e - least + 1 : 0;
    if (field >= (1 << f.exponent_bits) - 1)
        return sign | infinity;
    return uint16_t(sign | field << f.mantissa | (unsigned(s) & ((1u << f.mantissa) - 1)));
}

Number product(const Number& a, const Number& b) {
    Number n;
    n.negative = a.negative != b.negative;
    n.nan = a.nan || b.nan || (a.infinite && !b.infinite && !b.significand) ||
            (b.infinite && !a.infinite && !a.significand);
    n.infinite = a.infinite || b.infinite;
    n.significand = a.significand * b.significand;
    n.exponent = a.exponent + b.exponent;
    return n;
}

/// Exact but for a sticky bit far below what rounding looks at.
Number sum(Number a, Number b) {
    Number n;
    n.nan = a.nan || b.nan || (a.infinite && b.infinite && a.negative != b.negative);
    if (n.nan || a.infinite || b.infinite) {
        n.infinite = true;
        n.negative = a.infinite ? a.negative : b.negative;
        return n;
    }
    if (!a.significand || !b.significand) {
        if (!a.significand && !b.significand) {
            n.negative = a.negative && b.negative;
            return n;
        }
        return a.significand ? a : b;
    }
    // Align to the larger exponent shifted up by 90 bits; what lies below becomes a sticky bit.
    if (a.exponent < b.exponent)
        std::swap(a, b);
    int up = std::min(a.exponent - b.exponent, 90);
    a.significand <<= up;
    a.exponent -= up;
    while (b.exponent < a.exponent) {
        b.significand = b.significand >> 1 | (b.significand & 1);
        ++b.exponent;
    }
    n.exponent = a.exponent;
    if (a.negative == b.negative) {
        n.significand = a.significand + b.significand;
        n.negative = a.negative;
    } else if (a.significand != b.significand) {
        n.negative = a.significand > b.significand ? a.negative : b.negative;
        n.significand = a.significand > b.significand ? a.significand - b.significand : b.significand - a.significand;
    }
    return n;
}

struct Case {
    const char* suffix;
    Format format;
    bool brain;
};
const Case cases[] = {{"f16", f16, false}, {"bf16", bf16, true}};

TEST_CASE("f16 and bf16 add, sub and mul round once") {
    for (const auto& [suffix, f, brain] : cases) {
        const auto inputs = pairs(halves(brain));
        const std::string s = suffix;
        check16("add." + s + " %h10, %h1, %h2;", inputs,
                [&](const In& x) { return encode(f, sum(decode(f, uint16_t(x.a)), decode(f, uint16_t(x.b)))); });
        check16("sub." + s + " %h10, %h1, %h2;", inputs, [&](const In& x) {
            return encode(f, sum(decode(f, uint16_t(x.a)), decode(f, uint16_t(x.b ^ 0x8000))));
        });
        check16("mul." + s + " %h10, %h1, %h2;", inputs,
                [&](const In& x) { return encode(f, product(decode(f, uint16_t(x.a)), decode(f, uint16_t(x.b)))); });
    }
}

TEST_CASE("f16 and bf16 fma rounds once, even when a double could not hold the sum") {
    for (const auto& [suffix, f, brain] : cases) {
        const auto inputs = triples(halves(brain));
        const auto exact = [&](const In& x) {
            return encode(f,
                          sum(product(decode(f, uint16_t(x.a)), decode(f, uint16_t(x.b))), decode(f, uint16_t(x.c))));
        };
        check16("fma.rn." + std::string(suffix) + " %h10, %h1, %h2, %h3;", inputs, exact);
        check16("fma.rn.relu." + std::string(suffix) + " %h10, %h1, %h2, %h3;", inputs, [&](const In& x) {
            const uint16_t r = exact(x);
            return r == 0x7fff ? r : r & 0x8000 ? uint16_t(0) : r;
        });
    }
}

TEST_CASE("f16x2 and bf16x2 work on both halves; .ftz and .sat apply to f16") {
    const auto both = [](auto one, uint64_t a, uint64_t b) {
        return uint32_t(one(uint16_t(a), uint16_t(b))) | uint32_t(one(uint16_t(a >> 16), uint16_t(b >> 16))) << 16;
    };
    const std::vector<In> inputs = {
        {0x3c004000, 0x3c013c00, 0, 0}, {0x00018001, 0x3c003c00, 0, 0}, {0x7c00fc00, 0xfc007c00, 0, 0}};
    check32("add.f16x2 %r10, %r1, %r2;", inputs, [&](const In& x) {
        return both([](uint16_t a, uint16_t b) { return encode(f16, sum(decode(f16, a), decode(f16, b))); }, x.a, x.b);
    });
    check32("mul.bf16x2 %r10, %r1, %r2;", inputs, [&](const In& x) {
        return both([](uint16_t a, uint16_t b) { return encode(bf16, product(decode(bf16, a), decode(bf16, b))); }, x.a,
                    x.b);
    });
    check32("mul.ftz.f16x2 %r10, %r1, %r2;", {{0x00013c00, 0x3c003c00, 0, 0}}, [](const In&) { return 0x00003c00u; });
    check32("add.sat.f16x2 %r10, %r1, %r2;", {{0x40007e00, 0x3c003c00, 0, 0}}, [](const In&) { return 0x3c000000u; });
    check16("max.f16 %h10, %h1, %h2;", {{0x7e00, 0x3c00, 0, 0}}, [](const In&) { return uint16_t(0x3c00); });
    check16("min.NaN.bf16 %h10, %h1, %h2;", {{0x7fc0, 0x3f80, 0, 0}}, [](const In&) { return uint16_t(0x7fff); });
    check32("max.bf16x2 %r10, %r1, %r2;", {{0x3f804000, 0x40003f80, 0, 0}}, [](const In&) { return 0x40004000u; });
}

} // namespace half_test
