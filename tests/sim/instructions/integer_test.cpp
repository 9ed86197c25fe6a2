#include <algorithm>
#include <bit>

#include <doctest/doctest.h>

#include "snippet.h"

using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using u32 = uint32_t;
using u64 = uint64_t;
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

namespace integer_test {

const std::vector<In> pairs32 = pairs(integers32()), pairs64 = pairs(integers64());
const std::vector<In> triples32 = triples(integers32()), triples64 = triples(integers64());
const std::vector<In> singles32 = singles(integers32()), singles64 = singles(integers64());

u32 clamp32(i64 value) {
    return u32(std::clamp<i64>(value, INT32_MIN, INT32_MAX));
}

TEST_CASE("add and sub wrap in every width") {
    check32("add.u32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) + u32(x.b); });
    check32("add.s32 %r10, %r1, -3;", pairs32, [](const In& x) { return u32(x.a) - 3; });
    check64("add.s64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) { return x.a + x.b; });
    check16("add.u16 %h10, %h1, %h2;", pairs32, [](const In& x) { return uint16_t(x.a + x.b); });
    check32("sub.s32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) - u32(x.b); });
    check64("sub.u64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) { return x.a - x.b; });
    check16("sub.s16 %h10, %h1, %h2;", pairs32, [](const In& x) { return uint16_t(x.a - x.b); });
}

TEST_CASE("add.sat and sub.sat stop at the ends of s32") {
    check32("add.sat.s32 %r10, %r1, %r2;", pairs32, [](const In& x) { return clamp32(i64(i32(x.a)) + i32(x.b)); });
    check32("sub.sat.s32 %r10, %r1, %r2;", pairs32, [](const In& x) { return clamp32(i64(i32(x.a)) - i32(x.b)); });
}

TEST_CASE("add.u16x2 does not carry from one half to the other") {
    check32("add.u16x2 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return ((x.a + x.b) & 0xffff) | (((x.a >> 16) + (x.b >> 16)) & 0xffff) << 16; });
}

TEST_CASE("mul gives the lower half, the upper half, or all of it") {
    check32("mul.lo.s32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) * u32(x.b); });
    check32("mul.hi.s32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(i64(i32(x.a)) * i32(x.b) >> 32); });
    check32("mul.hi.u32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(u64(u32(x.a)) * u32(x.b) >> 32); });
    check64("mul.lo.u64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) { return x.a * x.b; });
    check64("mul.hi.s64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) { return u64(i128(i64(x.a)) * i64(x.b) >> 64); });
    check64("mul.hi.u64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) { return u64(u128(x.a) * x.b >> 64); });
    check64("mul.wide.s32 %rd10, %r1, %r2;", pairs32, [](const In& x) { return u64(i64(i32(x.a)) * i32(x.b)); });
    check64("mul.wide.u32 %rd10, %r1, %r2;", pairs32, [](const In& x) { return u64(u32(x.a)) * u32(x.b); });
    check32("mul.wide.s16 %r10, %h1, %h2;", pairs32, [](const In& x) { return u32(i16(x.a) * i16(x.b)); });
    check32("mul.wide.u16 %r10, %h1, %h2;", pairs32, [](const In& x) { return u32(uint16_t(x.a)) * uint16_t(x.b); });
    check16("mul.lo.u16 %h10, %h1, %h2;", pairs32,
            [](const In& x) { return uint16_t(u32(uint16_t(x.a)) * uint16_t(x.b)); });
    check16("mul.hi.s16 %h10, %h1, %h2;", pairs32, [](const In& x) { return uint16_t(i16(x.a) * i16(x.b) >> 16); });
}

TEST_CASE("mad adds to the half or the whole product") {
    check32("mad.lo.s32 %r10, %r1, %r2, %r3;", triples32, [](const In& x) { return u32(x.a) * u32(x.b) + u32(x.c); });
    check32("mad.hi.u32 %r10, %r1, %r2, %r3;", triples32,
            [](const In& x) { return u32(u64(u32(x.a)) * u32(x.b) >> 32) + u32(x.c); });
    check32("mad.hi.sat.s32 %r10, %r1, %r2, %r3;", triples32,
            [](const In& x) { return clamp32((i64(i32(x.a)) * i32(x.b) >> 32) + i32(x.c)); });
    check64("mad.wide.s32 %rd10, %r1, %r2, %rd3;", triples32,
            [](const In& x) { return u64(i64(i32(x.a)) * i32(x.b)) + x.c; });
    check64("mad.wide.u32 %rd10, %r1, %r2, %rd3;", triples32,
            [](const In& x) { return u64(u32(x.a)) * u32(x.b) + x.c; });
    check64("mad.lo.u64 %rd10, %rd1, %rd2, %rd3;", triples64, [](const In& x) { return x.a * x.b + x.c; });
}

TEST_CASE("mul24 and mad24 use 24 bits of each source") {
    const auto low = [](uint64_t v) { return i64(i32(u32(v) << 8) >> 8); };
    check32("mul24.lo.s32 %r10, %r1, %r2;", pairs32, [&](const In& x) { return u32(low(x.a) * low(x.b)); });
    check32("mul24.hi.s32 %r10, %r1, %r2;", pairs32, [&](const In& x) { return u32(low(x.a) * low(x.b) >> 16); });
    check32("mul24.lo.u32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return u32((x.a & 0xffffff) * (x.b & 0xffffff)); });
    check32("mad24.lo.u32 %r10, %r1, %r2, %r3;", triples32,
            [](const In& x) { return u32((x.a & 0xffffff) * (x.b & 0xffffff) + x.c); });
    check32("mad24.hi.sat.s32 %r10, %r1, %r2, %r3;", triples32,
            [&](const In& x) { return clamp32(i64(i32(low(x.a) * low(x.b) >> 16)) + i32(x.c)); });
}

TEST_CASE("sad adds the distance") {
    check32("sad.s32 %r10, %r1, %r2, %r3;", triples32,
            [](const In& x) { return u32(x.c) + u32(std::abs(i64(i32(x.a)) - i32(x.b))); });
    check32("sad.u32 %r10, %r1, %r2, %r3;", triples32,
            [](const In& x) { return u32(x.c) + u32(std::abs(i64(u32(x.a)) - i64(u32(x.b)))); });
}

TEST_CASE("div and rem: by zero all ones, INT_MIN / -1 wraps") {
    check32("div.s32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return u32(x.b) == 0 ? ~0u : u32(i64(i32(x.a)) / i32(x.b)); });
    check32("div.u32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.b) ? u32(x.a) / u32(x.b) : ~0u; });
    check64("div.s64 %rd10, %rd1, %rd2;", pairs64,
            [](const In& x) { return x.b ? u64(i128(i64(x.a)) / i64(x.b)) : ~0ull; });
    check32("rem.s32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return u32(x.b) == 0 ? ~0u : u32(i64(i32(x.a)) % i32(x.b)); });
    check64("rem.u64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) { return x.b ? x.a % x.b : ~0ull; });
    check16("div.s16 %h10, %h1, %h2;", pairs32,
            [](const In& x) { return i16(x.b) ? uint16_t(i16(x.a) / i16(x.b)) : uint16_t(0xffff); });
}

TEST_CASE("abs and neg leave INT_MIN as it is") {
    check32("abs.s32 %r10, %r1;", singles32, [](const In& x) { return i32(x.a) < 0 ? 0 - u32(x.a) : u32(x.a); });
    check64("abs.s64 %rd10, %rd1;", singles64, [](const In& x) { return i64(x.a) < 0 ? 0 - x.a : x.a; });
    check32("neg.s32 %r10, %r1;", singles32, [](const In& x) { return 0 - u32(x.a); });
    check16("neg.s16 %h10, %h1;", singles32, [](const In& x) { return uint16_t(0 - x.a); });
}

TEST_CASE("min and max compare with the type's sign; .relu ends at zero") {
    check32("min.s32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(std::min(i32(x.a), i32(x.b))); });
    check32("min.u32 %r10, %r1, %r2;", pairs32, [](const In& x) { return std::min(u32(x.a), u32(x.b)); });
    check32("max.s32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(std::max(i32(x.a), i32(x.b))); });
    check64("max.u64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) { return std::max(x.a, x.b); });
    check32("max.relu.s32 %r10, %r1, %r2;", pairs32, [](const In& x) {
        return u32(std::max({i32(x.a), i32(x.b), 0}));
    });
    check32("min.relu.s32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return u32(std::max(std::min(i32(x.a), i32(x.b)), 0)); });
    check32("min.s16x2 %r10, %r1, %r2;", pairs32, [](const In& x) {
        return u32(uint16_t(std::min(i16(x.a), i16(x.b)))) | u32(uint16_t(std::min(i16(x.a >> 16), i16(x.b >> 16))))
                                                                 << 16;
    });
    check32("max.relu.s16x2 %r10, %r1, %r2;", pairs32, [](const In& x) {
        return u32(uint16_t(std::max({i16(x.a), i16(x.b), i16(0)}))) |
               u32(uint16_t(std::max({i16(x.a >> 16), i16(x.b >> 16), i16(0)}))) << 16;
    });
}

TEST_CASE("popc, clz, bfind and brev count and find bits") {
    check32("popc.b32 %r10, %r1;", singles32, [](const In& x) { return u32(std::popcount(u32(x.a))); });
    check32("popc.b64 %r10, %rd1;", singles64, [](const In& x) { return u32(std::popcount(x.a)); });
    check32("clz.b32 %r10, %r1;", singles32, [](const In& x) { return u32(std::countl_zero(u32(x.a))); });
    check32("clz.b64 %r10, %rd1;", singles64, [](const In& x) { return u32(std::countl_zero(x.a)); });
    check32("bfind.u32 %r10, %r1;", singles32,
            [](const In& x) { return u32(x.a) ? u32(31 - std::countl_zero(u32(x.a))) : ~0u; });
    check32("bfind.s32 %r10, %r1;", singles32, [](const In& x) {
        const u32 v = i32(x.a) < 0 ? ~u32(x.a) : u32(x.a);
        return v ? u32(31 - std::countl_zero(v)) : ~0u;
    });
    check32("bfind.shiftamt.u64 %r10, %rd1;", singles64,
            [](const In& x) { return x.a ? u32(std::countl_zero(x.a)) : ~0u; });
    check32("brev.b32 %r10, %r1;", singles32, [](const In& x) {
        u32 out = 0;
        for (int i = 0; i < 32; ++i)
            out |= (u32(x.a) >> i & 1) << (31 - i);
        return out;
    });
    check64("brev.b64 %rd10, %rd1;", singles64, [](const In& x) {
        u64 out = 0;
        for (int i = 0; i < 64; ++i)
            out |= (x.a >> i & 1) << (63 - i);
        return out;
    });
}

TEST_CASE("bfe follows the manual's pseudo code, past the top too") {
    std::vector<In> inputs;
    for (u64 a : {0x80000000deadbeefull, 0x7654321076543210ull, ~0ull})
        for (u64 pos : {0, 1, 15, 31, 32, 40, 63, 64, 255})
            for (u64 len : {0, 1, 8, 31, 32, 33, 64, 255})
                inputs.push_back({a, pos, len, 0});
    const auto extract = [](u64 a, int msb, u64 pos, u64 len, bool is_signed) {
        const bool sign = is_signed && len && (a >> std::min<u64>(pos + len - 1, u64(msb)) & 1);
        u64 d = 0;
        for (u64 i = 0; i <= u64(msb); ++i)
            d |= u64(i < len && pos + i <= u64(msb) ? a >> (pos + i) & 1 : sign) << i;
        return d;
    };
    check32("bfe.u32 %r10, %r1, %r2, %r3;", inputs,
            [&](const In& x) { return u32(extract(u32(x.a), 31, x.b, x.c, false)); });
    check32("bfe.s32 %r10, %r1, %r2, %r3;", inputs,
            [&](const In& x) { return u32(extract(u32(x.a), 31, x.b, x.c, true)); });
    check64("bfe.u64 %rd10, %rd1, %r2, %r3;", inputs, [&](const In& x) { return extract(x.a, 63, x.b, x.c, false); });
    check64("bfe.s64 %rd10, %rd1, %r2, %r3;", inputs, [&](const In& x) { return extract(x.a, 63, x.b, x.c, true); });
}

TEST_CASE("bfi puts a field into a value") {
    std::vector<In> inputs;
    for (u64 pos : {0, 1, 15, 31, 32, 63, 64, 255})
        for (u64 len : {0, 1, 8, 31, 32, 33, 64, 255})
            inputs.push_back({0xdeadbeefcafef00d, 0x123456789abcdef0, pos, len});
    const auto insert = [](u64 a, u64 b, u64 msb, u64 pos, u64 len) {
        for (u64 i = 0; i < len && pos + i <= msb; ++i)
            b = (b & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
        return b;
    };
    check32("bfi.b32 %r10, %r1, %r2, %r3, %r4;", inputs,
            [&](const In& x) { return u32(insert(x.a, u32(x.b), 31, x.c, x.e)); });
    check64("bfi.b64 %rd10, %rd1, %rd2, %r3, %r4;", inputs,
            [&](const In& x) { return insert(x.a, x.b, 63, x.c, x.e); });
}

TEST_CASE("bmsk and szext clamp or wrap their counts") {
    const auto mask = [](u64 first, u64 count) {
        u32 out = 0;
        for (u64 i = first; i < first + count && i < 32; ++i)
            out |= 1u << i;
        return out;
    };
    check32("bmsk.clamp.b32 %r10, %r1, %r2;", pairs32,
            [&](const In& x) { return mask(std::min<u64>(u32(x.a), 32), std::min<u64>(u32(x.b), 32)); });
    check32("bmsk.wrap.b32 %r10, %r1, %r2;", pairs32, [&](const In& x) { return mask(x.a & 31, x.b & 31); });
    check32("szext.clamp.s32 %r10, %r1, %r2;", pairs32, [](const In& x) {
        const u32 n = std::min<u32>(u32(x.b), 32);
        return n ? u32(i32(u32(x.a) << (32 - n)) >> (32 - n)) : 0;
    });
    check32("szext.wrap.u32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) & ((1u << (x.b & 31)) - 1); });
}

TEST_CASE("dp4a and dp2a multiply packed values and add") {
    check32("dp4a.s32.u32 %r10, %r1, %r2, %r3;", triples32, [](const In& x) {
        u32 d = u32(x.c);
        for (int i = 0; i < 4; ++i)
            d += u32(int8_t(x.a >> (8 * i)) * uint8_t(x.b >> (8 * i)));
        return d;
    });
    check32("dp2a.lo.s32.s32 %r10, %r1, %r2, %r3;", triples32, [](const In& x) {
        return u32(x.c) + u32(i16(x.a) * int8_t(x.b)) + u32(i16(x.a >> 16) * int8_t(x.b >> 8));
    });
    check32("dp2a.hi.u32.u32 %r10, %r1, %r2, %r3;", triples32, [](const In& x) {
        return u32(x.c) + u32(uint16_t(x.a)) * uint8_t(x.b >> 16) + u32(uint16_t(x.a >> 16)) * uint8_t(x.b >> 24);
    });
}

TEST_CASE("fns finds the n-th set bit in both directions") {
    const std::vector<In> inputs = {{0b10110, 0, 1, 0},    {0b10110, 0, 2, 0}, {0b10110, 4, u32(-2), 0},
                                    {0b10110, 1, 0, 0},    {0b10110, 0, 0, 0}, {0b10110, 0, 9, 0},
                                    {0x80000000, 31, 1, 0}};
    const std::vector<u32> expected = {1, 2, 2, 1, ~0u, ~0u, 31};
    const auto out = execute("fns.b32 %r10, %r1, %r2, %r3;", inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
        CHECK(out[i].narrow == expected[i]);
}

TEST_CASE("carries run through add.cc, addc, sub.cc, subc, mad.cc and madc") {
    // 64-bit sums and products out of 32-bit parts.
    const char* sum = "mov.b64 {%r5, %r6}, %rd1; mov.b64 {%r7, %r8}, %rd2;"
                      "add.cc.u32 %r5, %r5, %r7; addc.u32 %r6, %r6, %r8; mov.b64 %rd10, {%r5, %r6};";
    check64(sum, pairs64, [](const In& x) { return x.a + x.b; });
    const char* difference = "mov.b64 {%r5, %r6}, %rd1; mov.b64 {%r7, %r8}, %rd2;"
                             "sub.cc.u32 %r5, %r5, %r7; subc.cc.u32 %r6, %r6, %r8; mov.b64 %rd10, {%r5, %r6};"
                             "subc.u32 %r10, 0, 0;";
    check64(difference, pairs64, [](const In& x) { return x.a - x.b; });
    check32(difference, pairs64, [](const In& x) { return x.a < x.b ? ~0u : 0u; });
    const char* product = "mov.b64 {%r5, %r6}, %rd1; mov.b64 {%r7, %r8}, %rd3;"
                          "mad.lo.cc.u32 %r11, %r5, %r2, %r7; madc.hi.u32 %r12, %r5, %r2, %r8;"
                          "mov.b64 %rd10, {%r11, %r12};";
    check64(product, triples64, [](const In& x) { return u64(u32(x.a)) * u32(x.b) + x.c; });
    check32("add.cc.u32 %r5, %r1, %r2; addc.cc.u32 %r6, %r3, -1; addc.u32 %r10, 0, 0;", triples32, [](const In& x) {
        const u64 carry = (u64(u32(x.a)) + u32(x.b)) >> 32;
        return u32((u64(u32(x.c)) + 0xffffffffull + carry) >> 32);
    });
    check64("add.cc.u64 %rd5, %rd1, %rd2; addc.u64 %rd10, 0, 0;", pairs64,
            [](const In& x) { return u64((u128(x.a) + x.b) >> 64); });
    check32("mad.hi.cc.s32 %r10, %r1, %r2, %r3;", triples32,
            [](const In& x) { return u32(i64(i32(x.a)) * i32(x.b) >> 32) + u32(x.c); });
}

TEST_CASE("only executing lanes write their registers") {
    check32("mov.u32 %r10, 7; @%p1 add.u32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return x.a & 1 ? u32(x.a) + u32(x.b) : 7; });
    check32("mov.u32 %r10, 7; @!%p1 mul.lo.u32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return x.a & 1 ? 7 : u32(x.a) * u32(x.b); });
}

TEST_CASE("operands that do not fit are refused by name") {
    CHECK(failure("add.u32 %r10, %rd1, %r2;").find("64 bits where 32") != std::string::npos);
    CHECK(failure("add.u64 %r10, %rd1, %rd2;").find("destination has 32 bits") != std::string::npos);
    CHECK(failure("add.u32 _, %r1, %r2;").find("'_'") != std::string::npos);
    CHECK(failure("add.b32 %r10, %r1, %r2;") != "");
    CHECK(failure("add.u32 %r10, %r1;") != "");
    CHECK(failure("frobnicate.u32 %r10, %r1;").find("frobnicate") != std::string::npos);
}

} // namespace integer_test
