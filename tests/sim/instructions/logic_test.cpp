#include <cmath>

#include <doctest/doctest.h>

#include "snippet.h"

using i32 = int32_t;
using i64 = int64_t;
using u32 = uint32_t;
using u64 = uint64_t;

namespace logic_test {

const std::vector<In> pairs32 = pairs(integers32()), pairs64 = pairs(integers64()), triples32 = triples(integers32());
const std::vector<In> floats = pairs(floats32()), doubles = pairs(floats64());

std::vector<In> with_amounts() {
    std::vector<In> inputs;
    for (u64 a : {0x8000000080000001ull, 0x123456789abcdef0ull, ~0ull})
        for (u64 b : {0ull, 1ull, 15ull, 16ull, 31ull, 32ull, 33ull, 63ull, 64ull, 255ull, 0xffffffffull})
            inputs.push_back({a, b, b, 0});
    return inputs;
}

TEST_CASE("and, or, xor, not and cnot work on bits and on predicates") {
    check32("and.b32 %r10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a & x.b); });
    check32("or.b32 %r10, %r1, 0xff;", pairs32, [](const In& x) { return u32(x.a) | 0xff; });
    check64("xor.b64 %rd10, %rd1, %rd2;", pairs64, [](const In& x) { return x.a ^ x.b; });
    check16("not.b16 %h10, %h1;", pairs32, [](const In& x) { return uint16_t(~x.a); });
    check32("cnot.b32 %r10, %r1;", pairs32, [](const In& x) { return u32(u32(x.a) == 0); });
    check_predicate("and.pred %p10, %p1, %p2;", pairs32, [](const In& x) { return x.a & x.b & 1; });
    check_predicate("or.pred %p10, %p1, !%p2;", pairs32, [](const In& x) { return (x.a & 1) || !(x.b & 1); });
    check_predicate("xor.pred %p10, %p1, %p2;", pairs32, [](const In& x) { return (x.a ^ x.b) & 1; });
    check_predicate("not.pred %p10, %p1;", pairs32, [](const In& x) { return !(x.a & 1); });
}

TEST_CASE("lop3 evaluates any truth table") {
    for (u32 table : {0x00u, 0x96u, 0xe8u, 0xcau, 0x1bu, 0xffu})
        check32("lop3.b32 %r10, %r1, %r2, %r3, " + std::to_string(table) + ";", triples32, [table](const In& x) {
            u32 out = 0;
            for (int i = 0; i < 32; ++i) {
                const u32 index = u32(x.a >> i & 1) << 2 | u32(x.b >> i & 1) << 1 | u32(x.c >> i & 1);
                out |= (table >> index & 1) << i;
            }
            return out;
        });
    check_predicate("lop3.and.b32 %r10|%p10, %r1, %r2, %r3, 0x80, %p1;", triples32,
                    [](const In& x) { return u32(x.a & x.b & x.c) != 0 && (x.a & 1); });
}

TEST_CASE("shl and shr clamp amounts past the width") {
    const auto inputs = with_amounts();
    check32("shl.b32 %r10, %r1, %r2;", inputs, [](const In& x) { return x.b < 32 ? u32(x.a) << x.b : 0; });
    check64("shl.b64 %rd10, %rd1, %r2;", inputs, [](const In& x) { return x.b < 64 ? x.a << x.b : 0; });
    check16("shl.b16 %h10, %h1, %r2;", inputs,
            [](const In& x) { return x.b < 16 ? uint16_t(x.a << x.b) : uint16_t(0); });
    check32("shr.u32 %r10, %r1, %r2;", inputs, [](const In& x) { return x.b < 32 ? u32(x.a) >> x.b : 0; });
    check32("shr.s32 %r10, %r1, %r2;", inputs, [](const In& x) { return u32(i32(x.a) >> std::min<u64>(x.b, 31)); });
    check64("shr.s64 %rd10, %rd1, %r2;", inputs, [](const In& x) { return u64(i64(x.a) >> std::min<u64>(x.b, 63)); });
    check16("shr.s16 %h10, %h1, %r2;", inputs,
            [](const In& x) { return uint16_t(int16_t(x.a) >> std::min<u64>(x.b, 15)); });
}

TEST_CASE("shf shifts the pair of registers, clamping or wrapping") {
    std::vector<In> inputs;
    for (u64 c : {0, 1, 31, 32, 33, 63, 64, 255})
        inputs.push_back({0x12345678, 0x9abcdef0, c, 0});
    const u64 both = 0x9abcdef012345678;
    check32("shf.l.clamp.b32 %r10, %r1, %r2, %r3;", inputs,
            [&](const In& x) { return u32(both << std::min<u64>(x.c, 32) >> 32); });
    check32("shf.r.clamp.b32 %r10, %r1, %r2, %r3;", inputs,
            [&](const In& x) { return u32(both >> std::min<u64>(x.c, 32)); });
    check32("shf.l.wrap.b32 %r10, %r1, %r2, %r3;", inputs, [&](const In& x) { return u32(both << (x.c & 31) >> 32); });
    check32("shf.r.wrap.b32 %r10, %r1, %r2, %r3;", inputs, [&](const In& x) { return u32(both >> (x.c & 31)); });
}

TEST_CASE("prmt picks bytes by selector, replicates signs, and knows its six modes") {
    const auto one = [](const std::string& mode, u32 c) {
        return execute("prmt.b32" + mode + " %r10, %r1, %r2, %r3;", {{0x83828180, 0x07060504, c, 0}})[0].narrow;
    };
    CHECK(one("", 0x7531) == 0x07058381);
    CHECK(one("", 0x0000) == 0x80808080);
    CHECK(one("", 0xf8a4) == 0x00ffff04); // 0xf: sign of byte 7 (0), 0x8: of byte 0 (1), 0xa: of byte 2 (1), byte 4
    CHECK(one(".f4e", 0) == 0x83828180);
    CHECK(one(".f4e", 3) == 0x06050483);
    CHECK(one(".b4e", 0) == 0x05060780);
    CHECK(one(".b4e", 2) == 0x07808182);
    CHECK(one(".rc8", 2) == 0x82828282);
    CHECK(one(".ecl", 2) == 0x83828282);
    CHECK(one(".ecr", 1) == 0x81818180);
    CHECK(one(".rc16", 1) == 0x83828382);
}

TEST_CASE("setp compares integers with the type's sign") {
    check_predicate("setp.lt.s32 %p10, %r1, %r2;", pairs32, [](const In& x) { return i32(x.a) < i32(x.b); });
    check_predicate("setp.lt.u32 %p10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) < u32(x.b); });
    check_predicate("setp.ge.s64 %p10, %rd1, %rd2;", pairs64, [](const In& x) { return i64(x.a) >= i64(x.b); });
    check_predicate("setp.eq.b32 %p10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) == u32(x.b); });
    check_predicate("setp.ne.u16 %p10, %h1, %h2;", pairs32, [](const In& x) { return uint16_t(x.a) != uint16_t(x.b); });
    check_predicate("setp.lo.u32 %p10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) < u32(x.b); });
    check_predicate("setp.ls.u32 %p10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) <= u32(x.b); });
    check_predicate("setp.hi.u64 %p10, %rd1, %rd2;", pairs64, [](const In& x) { return x.a > x.b; });
    check_predicate("setp.hs.u32 %p10, %r1, %r2;", pairs32, [](const In& x) { return u32(x.a) >= u32(x.b); });
    CHECK(failure("setp.lo.s32 %p10, %r1, %r2;") != "");
    CHECK(failure("setp.lt.b32 %p10, %r1, %r2;") != "");
    CHECK(failure("setp.equ.s32 %p10, %r1, %r2;") != "");
}

TEST_CASE("setp on floats: ordered comparisons are false on NaN, unordered ones true") {
    const auto compare = [](const char* name, auto f) {
        check_predicate(std::string("setp.") + name + ".f32 %p10, %r1, %r2;", floats,
                        [&](const In& x) { return f(double(x.fa()), double(x.fb())); });
        check_predicate(std::string("setp.") + name + ".f64 %p10, %rd1, %rd2;", doubles,
                        [&](const In& x) { return f(x.da(), x.db()); });
    };
    const auto nan = [](double a, double b) { return std::isnan(a) || std::isnan(b); };
    compare("eq", [&](double a, double b) { return !nan(a, b) && a == b; });
    compare("ne", [&](double a, double b) { return !nan(a, b) && a != b; });
    compare("lt", [&](double a, double b) { return a < b; });
    compare("le", [&](double a, double b) { return a <= b; });
    compare("gt", [&](double a, double b) { return a > b; });
    compare("ge", [&](double a, double b) { return a >= b; });
    compare("equ", [&](double a, double b) { return nan(a, b) || a == b; });
    compare("neu", [&](double a, double b) { return nan(a, b) || a != b; });
    compare("ltu", [&](double a, double b) { return nan(a, b) || a < b; });
    compare("leu", [&](double a, double b) { return nan(a, b) || a <= b; });
    compare("gtu", [&](double a, double b) { return nan(a, b) || a > b; });
    compare("geu", [&](double a, double b) { return nan(a, b) || a >= b; });
    compare("num", [&](double a, double b) { return !nan(a, b); });
    compare("nan", [&](double a, double b) { return nan(a, b); });
    check_predicate("setp.eq.ftz.f32 %p10, %r1, 0f00000000;", floats,
                    [](const In& x) { return std::fpclassify(x.fa()) == FP_SUBNORMAL || x.fa() == 0; });
    check_predicate("setp.gt.f16 %p10, %h1, %h2;", {{0x4000, 0x3c00, 0, 0}}, [](const In&) { return true; });
    check_predicate("setp.lt.bf16 %p10, %h1, %h2;", {{0x4000, 0x3f80, 0, 0}}, [](const In&) { return false; });
}

TEST_CASE("setp writes a pair and combines with a third predicate") {
    const auto out = execute("setp.lt.and.s32 %p10|%p11, %r1, %r2, !%p3;", triples32);
    for (size_t i = 0; i < triples32.size(); ++i) {
        const bool less = i32(triples32[i].a) < i32(triples32[i].b), c = !(triples32[i].c & 1);
        REQUIRE(out[i].p == (less && c));
        REQUIRE(out[i].q == (!less && c));
    }
    check_predicate("setp.eq.xor.u32 %p10, %r1, %r2, %p3;", triples32,
                    [](const In& x) { return (u32(x.a) == u32(x.b)) != bool(x.c & 1); });
    check_predicate("setp.eq.or.u32 %p10|_, %r1, %r2, %p3;", triples32,
                    [](const In& x) { return u32(x.a) == u32(x.b) || (x.c & 1); });
    const auto halves = execute("setp.gt.f16x2 %p10|%p11, %r1, %r2;", {{0x40003c00, 0x3c003c00, 0, 0}});
    CHECK_FALSE(halves[0].p);
    CHECK(halves[0].q);
}

TEST_CASE("set writes ones or 1.0") {
    check32("set.lt.u32.s32 %r10, %r1, %r2;", pairs32, [](const In& x) { return i32(x.a) < i32(x.b) ? ~0u : 0; });
    check32("set.lt.f32.s32 %r10, %r1, %r2;", pairs32,
            [](const In& x) { return i32(x.a) < i32(x.b) ? 0x3f800000u : 0; });
    check32("set.geu.u32.f32 %r10, %r1, %r2;", floats, [](const In& x) { return !(x.fa() < x.fb()) ? ~0u : 0; });
    check32("set.eq.and.u32.b64 %r10, %rd1, %rd2, %p1;", pairs64,
            [](const In& x) { return x.a == x.b && (x.a & 1) ? ~0u : 0; });
    check32("set.gt.f16x2.f16x2 %r10, %r1, %r2;", {{0x40003c00, 0x3c003c00, 0, 0}},
            [](const In&) { return 0x3c000000u; });
    check16("set.eq.bf16.bf16 %h10, %h1, %h2;", {{0x3f80, 0x3f80, 0, 0}}, [](const In&) { return uint16_t(0x3f80); });
}

TEST_CASE("selp and slct choose") {
    check32("selp.b32 %r10, %r1, %r2, %p3;", triples32, [](const In& x) { return x.c & 1 ? u32(x.a) : u32(x.b); });
    check64("selp.f64 %rd10, %rd1, 0d3ff0000000000000, %p2;", pairs64,
            [](const In& x) { return x.b & 1 ? x.a : 0x3ff0000000000000; });
    check16("selp.u16 %h10, %h1, %h2, %p3;", triples32, [](const In& x) { return uint16_t(x.c & 1 ? x.a : x.b); });
    check32("@%p1 selp.b32 %r10, %r1, %r2, %p3;", triples32,
            [](const In& x) { return x.a & 1 ? (x.c & 1 ? u32(x.a) : u32(x.b)) : 0; });
    check32("slct.u32.s32 %r10, %r1, %r2, %r3;", triples32,
            [](const In& x) { return i32(x.c) >= 0 ? u32(x.a) : u32(x.b); });
    check64("slct.b64.f32 %rd10, %rd1, %rd2, %r3;", triples(floats32()),
            [](const In& x) { return x.fc() >= 0 ? x.a : x.b; });
    check32("slct.ftz.u32.f32 %r10, 1, 2, %r1;", {{0x80000001, 0, 0, 0}}, [](const In&) { return 1u; });
}

} // namespace logic_test
