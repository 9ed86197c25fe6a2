#include <algorithm>
#include <cfenv>
#include <cmath>

#include <doctest/doctest.h>

#include "snippet.h"

using u8 = uint8_t;
using u16 = uint16_t;
using i32 = int32_t;
using i64 = int64_t;
using u32 = uint32_t;
using u64 = uint64_t;

namespace convert_test {

const std::vector<In> ints = singles(integers64()), floats = singles(floats32()), doubles = singles(floats64());
constexpr u32 nan32 = 0x7fffffff;

template <class F, class T>
F convert(T value0, int mode) {
    volatile T value = value0;
    std::fesetround(mode);
    volatile F result = F(value);
    std::fesetround(FE_TONEAREST);
    return result;
}

double rounded(double value, const std::string& mode) {
    return mode == "rni"   ? std::nearbyint(value)
           : mode == "rzi" ? std::trunc(value)
           : mode == "rmi" ? std::floor(value)
                           : std::ceil(value);
}

TEST_CASE("cvt between integers cuts, extends by sign, and fills wider registers") {
    check32("cvt.u32.u64 %r10, %rd1;", ints, [](const In& x) { return u32(x.a); });
    check64("cvt.s64.s32 %rd10, %r1;", ints, [](const In& x) { return u64(i64(i32(x.a))); });
    check64("cvt.u64.u32 %rd10, %r1;", ints, [](const In& x) { return u64(u32(x.a)); });
    check64("cvt.s64.s8 %rd10, %h1;", ints, [](const In& x) { return u64(i64(int8_t(x.a))); });
    check16("cvt.s16.s8 %h10, %h1;", ints, [](const In& x) { return u16(int16_t(int8_t(x.a))); });
    check16("cvt.u8.u32 %h10, %r1;", ints, [](const In& x) { return u16(u8(x.a)); });
    check16("cvt.s8.s32 %h10, %r1;", ints, [](const In& x) { return u16(int16_t(int8_t(x.a))); });
    check32("cvt.u32.s16 %r10, %h1;", ints, [](const In& x) { return u32(int16_t(x.a)); });
    check32("cvt.u8.u32 %r10, %r1;", ints, [](const In& x) { return u32(u8(x.a)); });     // a wider destination
    check32("cvt.s32.s8 %r10, %r1;", ints, [](const In& x) { return u32(int8_t(x.a)); }); // a wider source
    check64("cvt.s16.s64 %rd10, %rd1;", ints, [](const In& x) { return u64(i64(int16_t(x.a))); });
}

TEST_CASE("cvt.sat clamps integers") {
    check32("cvt.sat.s32.s64 %r10, %rd1;", ints,
            [](const In& x) { return u32(std::clamp<i64>(i64(x.a), INT32_MIN, INT32_MAX)); });
    check16("cvt.sat.u8.s32 %h10, %r1;", ints, [](const In& x) { return u16(std::clamp(i32(x.a), 0, 255)); });
    check32("cvt.sat.u32.s32 %r10, %r1;", ints, [](const In& x) { return u32(std::max(i32(x.a), 0)); });
    check64("cvt.sat.s64.u64 %rd10, %rd1;", ints, [](const In& x) { return std::min<u64>(x.a, INT64_MAX); });
    check16("cvt.sat.s16.u32 %h10, %r1;", ints, [](const In& x) { return u16(std::min<u32>(u32(x.a), 32767)); });
}

TEST_CASE("cvt from integers to floats rounds as named") {
    const std::pair<const char*, int> modes[] = {
        {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
    for (const auto& [m, mode] : modes) {
        const std::string name = std::string("cvt.") + m;
        const int how = mode;
        check32(name + ".f32.s32 %r10, %r1;", ints, [&](const In& x) { return bits(convert<float>(i32(x.a), how)); });
        check32(name + ".f32.u32 %r10, %r1;", ints,
                [&](const In& x) { return bits(convert<float>(double(u32(x.a)), how)); });
        check32(name + ".f32.s64 %r10, %rd1;", ints, [&](const In& x) { return bits(convert<float>(i64(x.a), how)); });
        check64(name + ".f64.s64 %rd10, %rd1;", ints,
                [&](const In& x) { return bits(convert<double>(i64(x.a), how)); });
        check64(name + ".f64.u32 %rd10, %r1;", ints, [&](const In& x) { return bits(double(u32(x.a))); });
    }
    check32("cvt.rn.f32.u64 %r10, %rd1;", ints, [](const In& x) { return bits(float(x.a)); });
    check64("cvt.rn.f64.u64 %rd10, %rd1;", ints, [](const In& x) { return bits(double(x.a)); });
    check16("cvt.rn.f16.s32 %h10, %r1;", {{2049, 0, 0, 0}, {2051, 0, 0, 0}, {65519, 0, 0, 0}, {65520, 0, 0, 0}},
            [](const In& x) {
                return x.a == 2049 ? u16(0x6800) : x.a == 2051 ? u16(0x6802) : x.a == 65519 ? u16(0x7bff) : u16(0x7c00);
            });
    check16("cvt.rn.bf16.s32 %h10, %r1;", {{257, 0, 0, 0}}, [](const In&) { return u16(0x4380); });
}

TEST_CASE("cvt from floats to integers clamps; NaN is 0, or the top bit where 64 bits are involved") {
    for (const std::string mode : {"rni", "rzi", "rmi", "rpi"}) {
        const auto whole = [mode](double v, double low, double high) {
            return std::clamp(rounded(v, mode), low, high);
        };
        check32("cvt." + mode + ".s32.f32 %r10, %r1;", floats,
                [&](const In& x) { return std::isnan(x.fa()) ? 0 : u32(i32(whole(x.fa(), INT32_MIN, INT32_MAX))); });
        check32("cvt." + mode + ".u32.f32 %r10, %r1;", floats,
                [&](const In& x) { return std::isnan(x.fa()) ? 0 : u32(whole(x.fa(), 0, UINT32_MAX)); });
        check32("cvt." + mode + ".s32.f64 %r10, %rd1;", doubles, [&](const In& x) {
            return std::isnan(x.da()) ? 0x80000000 : u32(i32(whole(x.da(), INT32_MIN, INT32_MAX)));
        });
        check64("cvt." + mode + ".s64.f32 %rd10, %r1;", floats, [&](const In& x) {
            const double r = rounded(x.fa(), mode);
            return std::isnan(x.fa()) || r < -0x1p63 ? u64(INT64_MIN) : r >= 0x1p63 ? u64(INT64_MAX) : u64(i64(r));
        });
        check64("cvt." + mode + ".u64.f64 %rd10, %rd1;", doubles, [&](const In& x) {
            const double r = rounded(x.da(), mode);
            return std::isnan(x.da()) ? 1ull << 63 : r <= 0 ? 0 : r >= 0x1p64 ? ~0ull : u64(r);
        });
        check16("cvt." + mode + ".u8.f32 %h10, %r1;", floats,
                [&](const In& x) { return std::isnan(x.fa()) ? u16(0) : u16(whole(x.fa(), 0, 255)); });
    }
    check32("cvt.rzi.ftz.s32.f32 %r10, %r1;", {{bits(-1.75f), 0, 0, 0}}, [](const In&) { return ~0u; });
    CHECK(failure("cvt.s32.f32 %r10, %r1;").find("rounding") != std::string::npos);
    CHECK(failure("cvt.rn.s32.f32 %r10, %r1;") != "");
}

TEST_CASE("cvt between floats rounds as named, flushes with .ftz, clamps with .sat") {
    const std::pair<const char*, int> modes[] = {
        {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
    for (const auto& [m, mode] : modes) {
        const int how = mode;
        check32(std::string("cvt.") + m + ".f32.f64 %r10, %rd1;", doubles,
                [&](const In& x) { return std::isnan(x.da()) ? nan32 : bits(convert<float>(x.da(), how)); });
    }
    check64("cvt.f64.f32 %rd10, %r1;", floats,
            [](const In& x) { return std::isnan(x.fa()) ? bits(double(x.fa())) : bits(double(x.fa())); });
    check32("cvt.rpi.f32.f32 %r10, %r1;", floats,
            [](const In& x) { return std::isnan(x.fa()) ? nan32 : bits(std::ceil(x.fa())); });
    check32("cvt.sat.f32.f32 %r10, %r1;", floats,
            [](const In& x) { return x.fa() > 0 ? bits(std::min(x.fa(), 1.0f)) : 0u; });
    check32("cvt.rn.ftz.f32.f64 %r10, %rd1;", {{bits(0x1p-130), 0, 0, 0}, {bits(-0x1p-130), 0, 0, 0}},
            [](const In& x) { return x.a >> 63 ? 0x80000000u : 0u; });
    check32("cvt.f32.f16 %r10, %h1;", singles(halves(false)), [](const In& x) {
        const auto v = float(std::bit_cast<_Float16>(u16(x.a)));
        return std::isnan(v) ? nan32 : bits(v);
    });
    check32("cvt.f32.bf16 %r10, %h1;", singles(halves(true)), [](const In& x) {
        const auto v = std::bit_cast<float>(u32(x.a) << 16);
        return std::isnan(v) ? nan32 : bits(v);
    });
}

TEST_CASE("cvt to 16-bit floats: ties to even, overflow to infinity, truncation with .rz, .relu") {
    const std::vector<In> values = {{bits(1.0f + 0x1p-11f), 0, 0, 0},
                                    {bits(1.0f + 0x3p-11f), 0, 0, 0},
                                    {bits(65519.0f), 0, 0, 0},
                                    {bits(65520.0f), 0, 0, 0},
                                    {bits(-0x1p-25f), 0, 0, 0},
                                    {bits(0x1.8p-24f), 0, 0, 0},
                                    {0x7fc00000, 0, 0, 0}};
    const std::vector<u16> nearest = {0x3c00, 0x3c02, 0x7bff, 0x7c00, 0x8000, 0x0002, 0x7fff};
    const std::vector<u16> truncated = {0x3c00, 0x3c01, 0x7bff, 0x7bff, 0x8000, 0x0001, 0x7fff};
    const auto rn = execute("cvt.rn.f16.f32 %h10, %r1;", values), rz = execute("cvt.rz.f16.f32 %h10, %r1;", values);
    for (size_t i = 0; i < values.size(); ++i) {
        CHECK(rn[i].half == nearest[i]);
        CHECK(rz[i].half == truncated[i]);
    }
    check16("cvt.rn.bf16.f32 %h10, %r1;",
            {{0x3f808000, 0, 0, 0}, {0x3f818000, 0, 0, 0}, {0x7f7fffff, 0, 0, 0}, {0x7f800001, 0, 0, 0}},
            [](const In& x) {
                return x.a == 0x3f808000   ? u16(0x3f80)
                       : x.a == 0x3f818000 ? u16(0x3f82)
                       : x.a == 0x7f7fffff ? u16(0x7f80)
                                           : u16(0x7fff);
            });
    check16("cvt.rz.bf16.f32 %h10, %r1;", {{0x3f81ffff, 0, 0, 0}}, [](const In&) { return u16(0x3f81); });
    check16("cvt.rn.relu.bf16.f32 %h10, %r1;", {{bits(-2.0f), 0, 0, 0}}, [](const In&) { return u16(0); });
    check16("cvt.rn.f16.f64 %h10, %rd1;", {{bits(1.0 + 0x1p-11 + 0x1p-40), 0, 0, 0}},
            [](const In&) { return u16(0x3c01); });
}

TEST_CASE("cvt packs two values, the first one above") {
    const std::vector<In> in = {{bits(1.0f), bits(-2.0f), 0, 0}};
    check32("cvt.rn.f16x2.f32 %r10, %r1, %r2;", in, [](const In&) { return 0x3c00c000u; });
    check32("cvt.rn.bf16x2.f32 %r10, %r1, %r2;", in, [](const In&) { return 0x3f80c000u; });
    check32("cvt.rn.relu.f16x2.f32 %r10, %r1, %r2;", in, [](const In&) { return 0x3c000000u; });
    check32("cvt.rz.bf16x2.f32 %r10, %r1, %r2;", {{0x3f81ffff, 0xbf81ffff, 0, 0}},
            [](const In&) { return 0x3f81bf81u; });
    check32("cvt.rna.tf32.f32 %r10, %r1;", {{0x3f801000, 0, 0, 0}, {0x3f800fff, 0, 0, 0}, {0x7fc00000, 0, 0, 0}},
            [](const In& x) { return x.a == 0x3f801000   ? 0x3f802000u
                                     : x.a == 0x3f800fff ? 0x3f800000u
                                                         : nan32; });
    check16("cvt.rn.satfinite.e4m3x2.f32 %h10, %r1, %r2;",
            {{bits(1.0f), bits(1000.0f), 0, 0}, {0x7fc00000, bits(-0x1p-9f), 0, 0}},
            [](const In& x) { return x.b == bits(1000.0f) ? u16(0x387e) : u16(0x7f81); });
    check16("cvt.rn.satfinite.e5m2x2.f32 %h10, %r1, %r2;", {{bits(1.0f), bits(1e9f), 0, 0}},
            [](const In&) { return u16(0x3c7b); });
    check32("cvt.rn.f16x2.e4m3x2 %r10, %h1;", {{0x387e, 0, 0, 0}}, [](const In&) { return 0x3c005f00u; });
    check32("cvt.pack.sat.s16.s32 %r10, %r1, %r2;", {{100000, u32(-100000), 0, 0}},
            [](const In&) { return 0x7fff8000u; });
    check32("cvt.pack.sat.u8.s32.b32 %r10, %r1, %r2, %r3;", {{300, u32(-5), 0x1234abcd, 0}},
            [](const In&) { return 0xabcdff00u; });
}

} // namespace convert_test
