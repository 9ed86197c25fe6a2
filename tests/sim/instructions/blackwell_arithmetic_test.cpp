// Arithmetic and conversions that sm_100 adds.
#include <cmath>

#include <doctest/doctest.h>

#include "snippet.h"

using u32 = uint32_t;
using u64 = uint64_t;

namespace blackwell_arithmetic_test {

std::vector<In> pairs_of_singles() {
    std::vector<In> inputs;
    const auto& values = floats32();
    for (size_t i = 0; i < values.size(); ++i)
        for (size_t j = 0; j < values.size(); ++j) {
            const u64 a = u64{values[i]} << 32 | values[j], b = u64{values[(j + 7) % values.size()]} << 32 | values[i];
            inputs.push_back({a, b, u64{values[j]} << 32 | values[(i + 3) % values.size()], 0});
        }
    return inputs;
}

/// Each half of the wide form is what the narrow form says.
void same_as_halves(const std::string& operation, const std::string& modifiers, bool three) {
    CAPTURE(operation + modifiers);
    const std::string c = three ? ", %rd3" : "", half_c = three ? ", %r17" : "";
    const std::string split = "mov.b64 {%r11, %r12}, %rd1; mov.b64 {%r13, %r14}, %rd2; mov.b64 {%r15, %r16}, %rd3;";
    const std::string narrow = operation + modifiers + ".f32 ";
    const auto out =
        execute(operation + modifiers + ".f32x2 %rd10, %rd1, %rd2" + c + ";" + split + "mov.b32 %r17, %r15;" + narrow +
                    "%r20, %r11, %r13" + half_c + "; mov.b32 %r17, %r16;" + narrow + "%r21, %r12, %r14" + half_c +
                    "; mov.b64 %rd11, {%r20, %r21};"
                    "setp.eq.u64 %p10, %rd10, %rd11;",
                pairs_of_singles());
    for (const auto& lane : out)
        CHECK(lane.p);
}

TEST_CASE("f32x2: both halves are computed as f32 is, in every rounding mode") {
    const Target target("sm_100a");
    for (const std::string modifiers : {".rn", ".rz", ".rm", ".rp", ".rn.ftz", ".rz.ftz"}) {
        same_as_halves("add", modifiers, false);
        same_as_halves("sub", modifiers, false);
        same_as_halves("mul", modifiers, false);
        same_as_halves("fma", modifiers, true);
    }
    same_as_halves("add", "", false);
}

TEST_CASE("f32 with operands of 16 bits") {
    const Target target("sm_100a");
    for (const bool brain : {false, true}) {
        const std::string type = brain ? "bf16" : "f16";
        std::vector<In> inputs;
        for (const uint16_t a : halves(brain))
            for (const u32 c : floats32())
                inputs.push_back({a, c, halves(brain)[c % halves(brain).size()], 0});
        const std::string widen = "cvt.f32." + type + " %r5, %h1; cvt.f32." + type + " %r6, %h3;";
        for (const std::string mode : {".rn", ".rz", ".rm", ".rp", ".rn.sat"})
            for (const auto& [mixed, plain] :
                 {std::pair{"add" + mode + ".f32." + type + " %r10, %h1, %r2;", "add" + mode + ".f32 %r11, %r5, %r2;"},
                  {"sub" + mode + ".f32." + type + " %r10, %h1, %r2;", "sub" + mode + ".f32 %r11, %r5, %r2;"},
                  {"fma" + mode + ".f32." + type + " %r10, %h1, %h3, %r2;",
                   "fma" + mode + ".f32 %r11, %r5, %r6, %r2;"}}) {
                CAPTURE(mixed);
                for (const auto& lane : execute(widen + mixed + plain, inputs))
                    CHECK(lane.narrow == lane.second);
            }
    }
}

TEST_CASE("min and max of three") {
    const Target target("sm_100a");
    std::vector<In> inputs;
    for (const u32 a : floats32())
        for (const u32 b : floats32())
            inputs.push_back({a, b, floats32()[(a + b) % floats32().size()], 0});
    for (const std::string name : {"min", "max"})
        for (const std::string modifiers : {"", ".ftz", ".NaN", ".ftz.NaN"}) {
            const std::string two = name + modifiers + ".f32 ";
            for (const auto& lane : execute(name + modifiers + ".f32 %r10, %r1, %r2, %r3;" + two + "%r11, %r1, %r2;" +
                                                two + "%r11, %r11, %r3;",
                                            inputs))
                CHECK(lane.narrow == lane.second);
            const std::string magnitudes = "and.b32 %r5, %r1, 0x7fffffff; and.b32 %r6, %r2, 0x7fffffff;"
                                           "and.b32 %r7, %r3, 0x7fffffff;";
            for (const auto& lane : execute(magnitudes + name + modifiers + ".abs.f32 %r10, %r1, %r2, %r3;" + two +
                                                "%r11, %r5, %r6;" + two + "%r11, %r11, %r7;",
                                            inputs))
                CHECK(lane.narrow == lane.second);
        }
}

TEST_CASE("redux.f32: NaN counts only with .NaN, and -0 is less than +0") {
    const Target target("sm_100a");
    std::vector<In> inputs(32, In{bits(1.5f), 0, 0, 0});
    inputs[3].a = bits(-7.0f);
    inputs[9].a = 0x7fc12345;
    inputs[20].a = bits(4.0f);
    const auto value = [&](const std::string& op) {
        return execute("redux.sync." + op + ".f32 %r10, %r1, -1;", inputs)[17].narrow;
    };
    CHECK(value("min") == bits(-7.0f));
    CHECK(value("max") == bits(4.0f));
    CHECK(value("max.abs") == bits(7.0f));
    CHECK(value("min.abs") == bits(1.5f));
    CHECK(value("max.NaN") == 0x7fffffff);
    for (auto& in : inputs)
        in.a = 0;
    inputs[1].a = 0x80000000;
    CHECK(value("min") == 0x80000000);
    CHECK(value("max") == 0);
    for (auto& in : inputs)
        in.a = 0xffc00001;
    CHECK(value("min") == 0x7fffffff);
}

TEST_CASE("cvt to formats of 4 and 6 bits rounds to the nearest, saturates, and NaN is the largest number") {
    const Target target("sm_100a");
    struct Format {
        const char* name;
        u32 bits, field;
        std::vector<float> magnitudes; // by code
    };
    std::vector<Format> formats{
        {"e2m1x2", 4, 4, {0, 0.5f, 1, 1.5f, 2, 3, 4, 6}}, {"e2m3x2", 6, 8, {}}, {"e3m2x2", 6, 8, {}}};
    for (u32 code = 0; code < 32; ++code) {
        formats[1].magnitudes.push_back(
            std::ldexp(float(code < 8 ? code : 8 + code % 8), int(std::max(code / 8, 1u)) - 4));
        formats[2].magnitudes.push_back(
            std::ldexp(float(code < 4 ? code : 4 + code % 4), int(std::max(code / 4, 1u)) - 5));
    }
    for (const auto& format : formats) {
        const auto& known = format.magnitudes;
        std::vector<In> inputs;
        std::vector<u32> expected;
        const auto add = [&](float value, u32 code) {
            inputs.push_back({bits(value), bits(-value), 0, 0});
            expected.push_back(code << format.field | code | 1u << (format.bits - 1));
        };
        for (u32 code = 1; code < known.size(); ++code) {
            const float middle = (known[code - 1] + known[code]) / 2;
            add(known[code], code);
            add(middle, code % 2 ? code - 1 : code); // to even
            add(std::nextafter(middle, 1000.0f), code);
            add(std::nextafter(middle, 0.0f), code - 1);
        }
        add(1000, u32(known.size()) - 1);
        add(INFINITY, u32(known.size()) - 1);
        const bool byte = format.field == 4;
        const std::string to = byte ? "%b1" : "%h5", store = "mov.b16 %h10, %h5;";
        const std::string name = std::string(".") + format.name;
        const auto narrow = execute(".reg .b8 %b<4>; mov.b16 {%b2, %b3}, 0; cvt.rn.satfinite" + name + ".f32 " + to +
                                        ", %r1, %r2;" + (byte ? "mov.b16 %h10, {%b1, %b2};" : store),
                                    inputs);
        for (size_t i = 0; i < inputs.size(); ++i) {
            CAPTURE(inputs[i].fa());
            CHECK(u32(narrow[i].half) == expected[i]);
        }
        // Back, and from f16.
        std::vector<In> codes;
        for (u32 code = 0; code < 2 * known.size(); ++code)
            codes.push_back({code << format.field | (code ^ 1), 0, 0, 0});
        const std::string from = byte ? "mov.b16 {%b1, %b2}, %h1;" : "mov.b16 %h5, %h1;";
        const auto wide = execute(".reg .b8 %b<4>;" + from + "cvt.rn.f16x2" + name + " %r5, " + to +
                                      "; mov.b32 {%h6, %h7}, %r5; cvt.f32.f16 %r10, %h7; cvt.f32.f16 %r11, %h6;",
                                  codes);
        for (u32 code = 0; code < 2 * known.size(); ++code) {
            const auto value = [&](u32 c) { return bits(c < known.size() ? known[c] : -known[c - known.size()]); };
            CHECK(wide[code].narrow == value(code));
            CHECK(wide[code].second == value(code ^ 1));
        }
        const auto nan =
            execute(".reg .b8 %b<4>; mov.b16 {%b2, %b3}, 0; mov.b32 %r5, 0x7fc00000; cvt.rn.satfinite.relu" + name +
                        ".f32 " + to + ", %r5, %r2;" + (byte ? "mov.b16 %h10, {%b1, %b2};" : store),
                    {{0, bits(-3.0f), 0, 0}});
        CHECK(nan[0].half == (known.size() - 1) << format.field);
    }
}

TEST_CASE("ue8m0: powers of two, towards zero or up; 0xff is NaN") {
    const Target target("sm_100a");
    struct Row {
        float value;
        u32 down, up;
    };
    const Row rows[] = {{1, 127, 127},        {1.5f, 127, 128},  {0.75f, 126, 127},
                        {0x1p-126f, 1, 1},    {0x1p-127f, 0, 0}, {0x1.8p-127f, 0, 1},
                        {0x1p127f, 254, 254}, {0, 0, 0},         {-4, 129, 129}};
    for (const auto& row : rows) {
        CAPTURE(row.value);
        const In in{bits(row.value), bits(1.0f), 0, 0};
        CHECK(execute("cvt.rz.ue8m0x2.f32 %h10, %r1, %r2;", {in})[0].half == (row.down << 8 | 127));
        CHECK(execute("cvt.rp.satfinite.ue8m0x2.f32 %h10, %r2, %r1;", {in})[0].half == (127 << 8 | row.up));
    }
    const In odd{bits(INFINITY), 0x7fc00000, 0, 0};
    CHECK(execute("cvt.rz.satfinite.ue8m0x2.f32 %h10, %r1, %r2;", {odd})[0].half == 0xfeff);
    CHECK(execute("cvt.rn.bf16x2.ue8m0x2 %r10, %h1;", {{127 << 8 | 130, 0, 0, 0}})[0].narrow == 0x3f804100);
    CHECK(execute("cvt.rz.ue8m0x2.bf16x2 %h10, %r1;", {{0x3fc04100, 0, 0, 0}})[0].half == (127 << 8 | 130));
}

TEST_CASE("stochastic rounding goes up with enough random bits only") {
    const Target target("sm_100a");
    const float value = 1 + 0x1p-11f; // half-way between two f16
    const In low{bits(value), bits(1.0f), 0xffff0fff, 0}, high{bits(value), bits(1.0f), 0x10001000, 0};
    CHECK(execute("cvt.rs.f16x2.f32 %r10, %r1, %r2, %r3;", {{low.a, low.b, 0x0fff1fff, 0}})[0].narrow == 0x3c003c00);
    CHECK(execute("cvt.rs.f16x2.f32 %r10, %r1, %r2, %r3;", {high})[0].narrow == 0x3c013c00);
    CHECK(
        execute("cvt.rs.satfinite.e4m3x4.f32 %r10, {%r1, %r2, %r2, %r1}, %r3;", {{bits(1000.0f), bits(1.0f), 0, 0}})[0]
            .narrow == 0x7e38387e);
    CHECK(execute("cvt.rs.satfinite.e2m1x4.f32 %h10, {%r1, %r2, %r2, %r1}, %r3;", {{bits(-6.0f), bits(1.0f), 0, 0}})[0]
              .half == 0xf22f);
}

TEST_CASE("older targets have none of them, and say which do") {
    for (const std::string body :
         {"add.f32x2 %rd10, %rd1, %rd2;", "add.f32.f16 %r10, %h1, %r2;", "fma.rn.f32.bf16 %r10, %h1, %h2, %r2;",
          "min.f32 %r10, %r1, %r2, %r3;", "redux.sync.min.f32 %r10, %r1, -1;", "cvt.rz.ue8m0x2.f32 %h10, %r1, %r2;"}) {
        CAPTURE(body);
        CHECK(failure(body).find("needs the target sm_100") != std::string::npos);
    }
    const Target target("sm_120a");
    CHECK(failure("cvt.rz.ue8m0x2.f32 %h10, %r1, %r2;") == "");
    CHECK(failure("redux.sync.min.f32 %r10, %r1, -1;").find("needs the target sm_100f") != std::string::npos);
}

TEST_CASE("256-bit loads and stores, and 128-bit atomics") {
    const Target target("sm_100a");
    const auto out = execute(
        "st.global.v8.b32 [%rd20], {%r1, %r2, %r1, %r2, %r1, %r2, %r1, %r2}; ld.global.v4.b64 {%rd5, %rd6, %rd7, "
        "%rd8}, [%rd20]; mov.b64 {%r10, %r11}, %rd8; mov.b128 %q1, {%rd1, %rd2};"
        "atom.global.exch.b128 %q2, [%rd20], %q1; atom.global.cas.b128 %q3, [%rd20], %q1, %q2;"
        "mov.b128 {%rd9, %rd10}, %q3;",
        {In{7, 9, 0, 0}});
    CHECK(out[0].narrow == 7);
    CHECK(out[0].second == 9);
    CHECK(out[0].wide == 9);
}

} // namespace blackwell_arithmetic_test
