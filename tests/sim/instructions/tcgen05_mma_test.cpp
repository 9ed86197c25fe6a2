// tcgen05.mma of every kind against a plain product of small numbers, whose sums are exact in any order. The layouts in
// shared memory are those of the manual's "Canonical Layouts", written down here once more.
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tensor_memory_kernel.h"

using u32 = uint32_t;

namespace tcgen05_mma_test {

/// A type of elements, as an instruction descriptor names it.
struct Type {
    const char* kind;
    u32 code;
    u32 bits;     ///< of the number
    u32 exponent; ///< bits; 0: an integer
    u32 mantissa;
    u32 stored; ///< bits of each element in shared memory
};
constexpr Type f16{"f16", 0, 16, 5, 10, 16}, bf16{"f16", 1, 16, 8, 7, 16}, tf32{"tf32", 2, 32, 8, 23, 32};
constexpr Type e4m3{"f8f6f4", 0, 8, 4, 3, 8}, e5m2{"f8f6f4", 1, 8, 5, 2, 8}, e2m3{"f8f6f4", 3, 6, 2, 3, 8};
constexpr Type e3m2{"f8f6f4", 4, 6, 3, 2, 8}, e2m1{"f8f6f4", 5, 4, 2, 1, 8}, nibble{"mxf4", 1, 4, 2, 1, 4};
constexpr Type u8{"i8", 0, 8, 0, 8, 8}, s8{"i8", 1, 8, 0, 7, 8};

/// The bits of a small whole number (or a half of one).
u32 encode(const Type& type, double value) {
    if (type.exponent == 0)
        return u32(int(value)) & 0xff;
    const u32 sign = value < 0 ? 1u << (type.bits - 1) : 0;
    if (value == 0)
        return sign;
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(value), &exponent); // 0.5 … 1
    const int bias = (1 << (type.exponent - 1)) - 1, biased = exponent - 1 + bias;
    if (biased <= 0)
        return sign | u32(std::ldexp(std::fabs(value), bias - 1 + int(type.mantissa)));
    return sign | u32(biased) << type.mantissa |
           (u32(std::ldexp(fraction, int(type.mantissa) + 1)) & ((1u << type.mantissa) - 1));
}

/// How a matrix is arranged in shared memory.
struct Arrangement {
    u32 mode = 0; ///< bits 63-61 of the descriptor
    bool major_mn = false;
    u32 span() const { return mode == 0 ? 16 : mode == 6 ? 32 : mode == 4 ? 64 : 128; }
};

struct Stored {
    std::vector<uint8_t> bytes;
    uint64_t descriptor; ///< without the start
};

/// `lines` lines of `k` elements, from address `start` on.
Stored store(const Type& type, const Arrangement& how, u32 lines, u32 k, u32 start,
             const std::function<double(u32 line, u32 k)>& value) {
    const u32 span = how.span(), rows = how.mode == 1 ? 4 : 8;
    const u32 inner = how.major_mn ? lines * type.stored / 8 : k * type.stored / 8;
    const u32 outer = how.major_mn ? k : lines;
    const u32 groups = (outer + rows - 1) / rows;
    u32 leading = 16, stride = rows * span; // as far apart as they need to be, and a bit more
    if (how.mode == 0 && !how.major_mn)
        leading = groups * 128 + 128;
    if (how.major_mn && how.mode == 0) {
        stride = 128;
        leading = inner / 16 * 128 + 256;
    } else if (how.major_mn) {
        leading = groups * stride;
    } else if (how.mode == 0) {
        stride = 128;
    }
    Stored result;
    result.bytes.resize(96 << 10);
    for (u32 o = 0; o < outer; ++o)
        for (u32 at = 0; at < inner; at += 16) {
            u32 address = start;
            if (how.mode == 0)
                address += o % 8 * 16 + o / 8 * (how.major_mn ? leading : stride) +
                           at / 16 * (how.major_mn ? stride : leading);
            else
                address += at % span + at / span * (how.major_mn ? leading : 0) + o % rows * span + o / rows * stride;
            if (how.mode == 1)
                address ^= (address >> 7 & 3) << 5;
            else
                address ^= (address >> 7 & (span / 16 - 1)) << 4;
            const u32 count = 128 / type.stored;
            for (u32 i = 0; i < count; ++i) {
                const u32 along = at * 8 / type.stored + i;
                const u32 bits = encode(type, how.major_mn ? value(along, o) : value(o, along));
                const u32 place = i * type.bits; // small elements are dense, and padding follows
                for (u32 bit = 0; bit < type.bits; ++bit)
                    result.bytes[address + (place + bit) / 8] |= uint8_t((bits >> bit & 1) << (place + bit) % 8);
            }
        }
    result.descriptor =
        uint64_t{leading / 16} << 16 | uint64_t{stride / 16} << 32 | uint64_t{1} << 46 | uint64_t{how.mode} << 61;
    return result;
}

struct Case {
    Type a = bf16, b = bf16;
    u32 m = 128, n = 64, k = 16;
    Arrangement in_a{2, false}, in_b{2, false};
    u32 group = 1;
    u32 sum = 1; ///< code of D's type: f16, f32, s32
    bool accumulate = true;
    u32 more = 0; ///< further bits of the instruction descriptor
    std::string suffix{};
    sim::machine::Schedule::Completion completion = sim::machine::Schedule::Completion::lazy;
};

double small(u32 i) {
    constexpr double numbers[] = {0, 1, 2, -1, 3, -2, 0.5, 4};
    return numbers[i * 2654435761u >> 29];
}
double value_a(const Case& c, u32 row, u32 k) {
    const double v = small(row * 97 + k + 1);
    return c.a.exponent ? v : std::trunc(c.a.code == 0 ? std::fabs(v) * 60 : v * 30);
}
double value_b(const Case& c, u32 n, u32 k) {
    const double v = small(n * 61 + k + 7777);
    return c.b.exponent ? v : std::trunc(c.b.code == 0 ? std::fabs(v) * 60 : v * 30);
}
double value_d(u32 row, u32 n) {
    return double((row * 31 + n * 7) % 17) - 8;
}

/// The lane and column of D's element, and in which block.
struct Cell {
    u32 block, lane, column;
};
Cell cell_of(const Case& c, u32 row, u32 n) {
    const u32 block = c.group == 2 ? row / (c.m / 2) : 0, own = row % (c.m / c.group);
    if (c.group == 2 && c.m == 128)
        return {block, own + n / (c.n / 2) * 64, n % (c.n / 2)};
    if (c.m == 64)
        return {block, own / 16 * 32 + own % 16, n};
    return {block, own, n};
}

u32 description(const Case& c) {
    return c.sum << 4 | c.a.code << 7 | c.b.code << 10 | u32{c.in_a.major_mn} << 15 | u32{c.in_b.major_mn} << 16 |
           c.n >> 3 << 17 | c.m >> 4 << 24 | c.more;
}

double decoded(const Case& c, u32 bits) {
    if (c.sum == 2)
        return int32_t(bits);
    if (c.sum == 1)
        return std::bit_cast<float>(bits);
    const int exponent = int(bits >> 10 & 31);
    const double size = std::ldexp(double((bits & 1023) + (exponent ? 1024 : 0)), (exponent ? exponent : 1) - 25);
    return bits >> 15 & 1 ? -size : size;
}

u32 encoded(const Case& c, double value) {
    return c.sum == 2 ? u32(int(value)) : encode(c.sum == 1 ? Type{"", 0, 32, 8, 23, 32} : f16, value);
}

/// A program that multiplies; `expected` gets what D holds in the end.
void check(const Case& c) {
    CAPTURE(c.a.kind);
    CAPTURE(c.a.code);
    CAPTURE(c.m);
    CAPTURE(c.n);
    CAPTURE(c.group);
    CAPTURE(c.in_a.mode);
    CAPTURE(c.in_b.mode);
    CAPTURE(c.in_a.major_mn);
    TensorProgram p;
    p.group = c.group;
    p.completion = c.completion;
    const u32 rows = c.m / c.group, columns = c.n / c.group, b_at = 40 << 10;
    uint64_t a_bits = 0, b_bits = 0;
    for (u32 block = 0; block < c.group; ++block) {
        auto a = store(c.a, c.in_a, rows, c.k, 0, [&](u32 row, u32 k) { return value_a(c, block * rows + row, k); });
        const auto b =
            store(c.b, c.in_b, columns, c.k, b_at, [&](u32 n, u32 k) { return value_b(c, block * columns + n, k); });
        for (size_t i = b_at; i < b.bytes.size(); ++i)
            a.bytes[i] = b.bytes[i];
        a_bits = a.descriptor;
        b_bits = b.descriptor + b_at / 16;
        p.shared.push_back(std::move(a.bytes));
        p.cells.emplace_back(128 * c.n);
    }
    for (u32 row = 0; row < c.m; ++row)
        for (u32 n = 0; n < c.n; ++n) {
            const Cell at = cell_of(c, row, n);
            p.cells[at.block][at.column * 128 + at.lane] = encoded(c, value_d(row, n));
        }
    p.values = {a_bits, b_bits};
    p.body = fmt::format("add.u64 %rd20, %rd20, %rd10; add.u64 %rd21, %rd21, %rd10; setp.ne.u32 %p8, {}, 0;"
                         "tcgen05.mma.cta_group::{}.kind::{} [%r10], %rd20, %rd21, {:#x}, %p8{};",
                         int(c.accumulate), c.group, c.a.kind, description(c), c.suffix);
    const TensorResult result = run(p);
    REQUIRE_MESSAGE(result.outcome, result.outcome.message);
    u32 wrong = 0;
    for (u32 row = 0; row < c.m; ++row)
        for (u32 n = 0; n < c.n && wrong < 3; ++n) {
            double sum = c.accumulate ? value_d(row, n) : 0;
            for (u32 k = 0; k < c.k; ++k)
                sum += value_a(c, row, k) * value_b(c, n, k);
            const Cell at = cell_of(c, row, n);
            const double have = decoded(c, result.at(at.block, at.lane, at.column));
            if (have == sum)
                continue;
            ++wrong;
            FAIL_CHECK(fmt::format("D[{}][{}] is {} where {} is right", row, n, have, sum));
        }
}

TEST_CASE("tcgen05.mma: every kind, every swizzle") {
    for (const u32 mode : {0u, 2u, 4u, 6u}) {
        check({.in_a = {mode}, .in_b = {mode}});
        check({.a = e4m3, .b = e5m2, .m = 64, .n = 24, .k = 32, .in_a = {mode}, .in_b = {mode}});
    }
    check({.a = f16, .b = f16, .n = 256});
    check({.a = f16, .b = bf16, .m = 64, .n = 8, .accumulate = false});
    check({.a = tf32, .b = tf32, .n = 40, .k = 8});
    check({.a = e2m3, .b = e3m2, .n = 32, .k = 32});
    check({.a = e2m1, .b = e4m3, .n = 16, .k = 32});
    check({.a = s8, .b = u8, .n = 48, .k = 32, .sum = 2});
    check({.a = u8, .b = s8, .m = 64, .n = 8, .k = 32, .sum = 2, .accumulate = false});
}

TEST_CASE("tcgen05.mma: transposed matrices") {
    for (const u32 mode : {0u, 2u, 4u, 6u}) {
        check({.n = 128, .in_a = {mode, true}, .in_b = {mode, true}});
        check({.a = e4m3, .b = e4m3, .n = 128, .k = 32, .in_a = {mode, true}, .in_b = {mode, true}});
        check({.m = 64, .n = 64, .in_a = {mode, true}, .in_b = {mode, false}});
    }
    check({.a = tf32, .b = tf32, .n = 64, .k = 8, .in_a = {1, true}, .in_b = {1, true}});
}

TEST_CASE("tcgen05.mma: pairs of CTAs") {
    check({.m = 256, .n = 64, .group = 2});
    check({.m = 128, .n = 64, .group = 2});
    check({.a = s8, .b = s8, .m = 256, .n = 256, .k = 32, .group = 2, .sum = 2});
    check({.m = 256, .n = 128, .in_a = {2, true}, .in_b = {2, true}, .group = 2, .accumulate = false});
    check({.m = 128, .n = 32, .group = 2, .completion = sim::machine::Schedule::Completion::random});
    check({.m = 128, .n = 256, .group = 2, .completion = sim::machine::Schedule::Completion::eager});
}

TEST_CASE("tcgen05.mma: accumulators of f16") {
    check({.a = f16, .b = f16, .n = 64, .sum = 0});
    check({.a = e5m2, .b = e4m3, .m = 64, .n = 16, .k = 32, .sum = 0});
}

} // namespace tcgen05_mma_test
