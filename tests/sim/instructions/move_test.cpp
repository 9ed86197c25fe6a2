#include <doctest/doctest.h>

#include "snippet.h"

using u32 = uint32_t;
using u64 = uint64_t;

namespace move_test {

const std::vector<In> inputs64 = pairs(integers64());

TEST_CASE("mov copies registers, constants and predicates") {
    check32("mov.u32 %r10, %r1;", inputs64, [](const In& x) { return u32(x.a); });
    check64("mov.f64 %rd10, 0d400921FB54442D18;", {In{}}, [](const In&) { return 0x400921FB54442D18; });
    check32("mov.f32 %r10, 0f3fc00000;", {In{}}, [](const In&) { return 0x3fc00000u; });
    check16("mov.b16 %h10, 0xbeef;", {In{}}, [](const In&) { return uint16_t(0xbeef); });
    check_predicate("mov.pred %p10, %p1;", inputs64, [](const In& x) { return x.a & 1; });
    check_predicate("mov.pred %p10, 1;", {In{}}, [](const In&) { return true; });
}

TEST_CASE("mov packs and unpacks vectors") {
    check64("mov.b64 {%r5, %r6}, %rd1; mov.b64 %rd10, {%r6, %r5};", inputs64,
            [](const In& x) { return x.a >> 32 | x.a << 32; });
    check32("mov.b32 {%h5, %h6}, %r1; mov.b32 %r10, {%h6, %h5};", inputs64,
            [](const In& x) { return u32(x.a) >> 16 | u32(x.a) << 16; });
    check64("mov.b64 {%h5, %h6, %h7, %h8}, %rd1; mov.b64 %rd10, {%h8, %h7, %h6, %h5};", inputs64, [](const In& x) {
        return x.a >> 48 | (x.a >> 16 & 0xffff0000) | (x.a << 16 & 0xffff00000000) | x.a << 48;
    });
    check32("mov.b64 {_, %r10}, %rd1;", inputs64, [](const In& x) { return u32(x.a >> 32); });
    check64("mov.b128 %q1, {%rd1, %rd2}; mov.b128 {%rd5, %rd10}, %q1;", inputs64, [](const In& x) { return x.b; });
    check64("mov.b64 %rd10, {%r1, 7};", inputs64, [](const In& x) { return u64(u32(x.a)) | 7ull << 32; });
}

TEST_CASE("mov reads special registers") {
    const auto out =
        execute("mov.u32 %r10, %laneid; mov.u32 %r11, %ctaid.x; mov.u64 %rd10, %clock64;", std::vector<In>(40));
    CHECK(out[3].narrow == 3);
    CHECK(out[37].narrow == 5);
    CHECK(out[37].second == 1);
    check32("mov.u32 %r5, %clock; mov.u32 %r6, %clock; sub.u32 %r10, %r6, %r5; min.u32 %r10, %r10, 1;", {In{}},
            [](const In&) { return 1u; });
    check32("mov.u32 %r10, %ntid.x;", {In{}}, [](const In&) { return 32u; });
    check32("mov.u32 %r10, %lanemask_lt;", std::vector<In>(1), [](const In&) { return 0u; });
}

TEST_CASE("cvta and its inverse agree with isspacep, for every space") {
    const std::string declarations = ".global .align 8 .b8 g[16];\n.const .align 8 .b8 c[16];\n";
    const auto predicate = [&](const std::string& body) { return execute(body, {In{}}, declarations)[0].p; };
    CHECK(predicate("mov.u64 %rd5, shared; cvta.shared.u64 %rd6, %rd5; isspacep.shared %p10, %rd6;"));
    CHECK(predicate("mov.u64 %rd5, shared; cvta.shared.u64 %rd6, %rd5; isspacep.shared::cta %p10, %rd6;"));
    CHECK_FALSE(predicate("mov.u64 %rd5, shared; cvta.shared.u64 %rd6, %rd5; isspacep.global %p10, %rd6;"));
    CHECK(
        predicate(".local .align 8 .b8 l[16]; mov.u64 %rd5, l; cvta.local.u64 %rd6, %rd5; isspacep.local %p10, %rd6;"));
    CHECK(predicate("mov.u64 %rd5, g; cvta.global.u64 %rd6, %rd5; isspacep.global %p10, %rd6;"));
    CHECK(predicate("mov.u64 %rd5, c; cvta.const.u64 %rd6, %rd5; isspacep.const %p10, %rd6;"));
    CHECK_FALSE(predicate("mov.u64 %rd5, c; cvta.const.u64 %rd6, %rd5; isspacep.global %p10, %rd6;"));
    CHECK(predicate("isspacep.global %p10, %rd20;"));
    const auto back = execute("mov.u64 %rd5, shared; cvta.shared.u64 %rd6, %rd5; cvta.to.shared.u64 %rd7, %rd6;"
                              "sub.u64 %rd10, %rd7, %rd5;",
                              {In{}});
    CHECK(back[0].wide == 0);
}

TEST_CASE("mapa and getctarank name another block's shared memory") {
    const auto out = execute("mov.u32 %r5, shared; mapa.shared::cluster.u32 %r6, %r5, 3;"
                             "getctarank.shared::cluster.u32 %r10, %r6; getctarank.shared::cluster.u32 %r11, %r5;"
                             "mov.u64 %rd5, shared; cvta.shared.u64 %rd6, %rd5; mapa.u64 %rd7, %rd6, 2;"
                             "getctarank.u64 %r12, %rd7; cvt.u64.u32 %rd10, %r12;",
                             {In{}});
    CHECK(out[0].narrow == 3);
    CHECK(out[0].second == 0);
    CHECK(out[0].wide == 2);
}

} // namespace move_test
