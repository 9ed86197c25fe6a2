#include <doctest/doctest.h>

#include "snippet.h"

using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

namespace memory_test {

const std::vector<In> values = pairs(integers64());
const std::vector<In> lanes(32, In{0x8182838485868788, 0x1112131415161718, 3, 4});

TEST_CASE("ld extends to the register's width by the type's sign, st cuts") {
    check32("st.global.b64 [%rd20], %rd1; ld.global.s8 %r10, [%rd20+1];", values,
            [](const In& x) { return u32(int8_t(x.a >> 8)); });
    check32("st.global.b64 [%rd20], %rd1; ld.global.u8 %r10, [%rd20+7];", values,
            [](const In& x) { return u32(x.a >> 56); });
    check64("st.global.b64 [%rd20], %rd1; ld.global.s16 %rd10, [%rd20+2];", values,
            [](const In& x) { return u64(int64_t(int16_t(x.a >> 16))); });
    check64("st.global.b64 [%rd20], %rd1; ld.global.s32 %rd10, [%rd20];", values,
            [](const In& x) { return u64(int64_t(int32_t(x.a))); });
    check16("st.global.b64 [%rd20], %rd1; ld.global.u8 %h10, [%rd20];", values,
            [](const In& x) { return u16(x.a & 0xff); });
    check64("st.global.u8 [%rd20+1], %r1; st.global.u16 [%rd20+2], %rd1; st.global.u32 [%rd20+4], 7; ld.global.u64 "
            "%rd10, [%rd20];",
            values, [](const In& x) { return 7ull << 32 | (x.a & 0xffff) << 16 | (x.a & 0xff) << 8; });
}

TEST_CASE("vectors, 128-bit values, caches and volatile: all the forms of ld and st") {
    check32("st.global.v2.b32 [%rd20], {%r1, %r2}; ld.global.v2.u32 {%r11, %r10}, [%rd20];", values,
            [](const In& x) { return u32(x.b); });
    check32("st.global.v4.b32 [%rd20+16], {%r1, %r2, 5, %r1}; ld.global.v4.u32 {_, %r10, _, _}, [%rd20+16];", values,
            [](const In& x) { return u32(x.b); });
    check64("st.global.v2.f64 [%rd20], {%rd1, %rd2}; ld.global.nc.L1::no_allocate.v2.f64 {%rd5, %rd10}, [%rd20];",
            values, [](const In& x) { return x.b; });
    check32("st.global.v4.u8 [%rd20], {%r1, %r1, %r2, %r2}; ld.global.u32 %r10, [%rd20];", values,
            [](const In& x) { return u32(x.a & 0xff) * 0x101 | u32(x.b & 0xff) * 0x1010000; });
    check64("mov.b128 %q1, {%rd1, %rd2}; st.global.b128 [%rd20], %q1; ld.global.b128 %q2, [%rd20]; mov.b128 {%rd10, "
            "%rd5}, %q2;",
            values, [](const In& x) { return x.a; });
    for (const char* load :
         {"ld.volatile.global.u32", "ld.relaxed.gpu.global.u32", "ld.acquire.sys.u32", "ld.weak.global.ca.u32",
          "ld.global.cv.u32", "ld.u32", "ldu.global.u32", "ld.acquire.cluster.global.u32",
          "ld.global.L1::evict_last.L2::128B.u32", "ld.mmio.relaxed.sys.global.u32"})
        check32(std::string("st.release.gpu.global.u32 [%rd20], %r1;") + load + " %r10, [%rd20];", values,
                [](const In& x) { return u32(x.a); });
    for (const char* store : {"st.volatile.global.u32", "st.relaxed.cta.global.u32", "st.u32", "st.global.wt.u32",
                              "st.weak.global.cs.u32", "st.global.L1::evict_first.u32"})
        check32(std::string(store) + " [%rd20], %r1; ld.global.u32 %r10, [%rd20];", values,
                [](const In& x) { return u32(x.a); });
    check32("createpolicy.fractional.L2::evict_last.b64 %rd5, 1.0; st.global.L2::cache_hint.u32 [%rd20], %r1, %rd5;"
            "ld.global.L2::cache_hint.u32 %r10, [%rd20], %rd5;",
            values, [](const In& x) { return u32(x.a); });
    CHECK(failure("ld.global.v2.u32 %r10, [%rd20];") != "");
    CHECK(failure("ld.global.u64 %r10, [%rd20];") != "");
    CHECK(failure("ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd20+4];").find("multiple of 16") != std::string::npos);
}

TEST_CASE("addresses that wrap, and operands that are too large or missing, are refused") {
    const auto refused = [](const std::string& body) {
        return failure(body, lanes).find("shared") != std::string::npos;
    };
    for (const char* last : {"-4", "-16", "0x8000000000000000", "0x100000000", "4096"}) {
        CHECK(refused("mov.u64 %rd5, " + std::string(last) + "; ld.shared.u32 %r10, [%rd5];"));
        // Lanes 0 to 30 read what is theirs.
        const std::string mixed =
            "mov.u64 %rd5, shared; mov.u32 %r5, %laneid; setp.eq.u32 %p5, %r5, 31; selp.b64 %rd5, " +
            std::string(last) + ", %rd5, %p5;";
        CHECK(refused(mixed + "ld.shared.u32 %r10, [%rd5];"));
        CHECK(failure(mixed + "st.shared.v4.u32 [%rd5], {%r1, %r1, %r1, %r1};", lanes) != "");
    }
    CHECK(failure("mov.u64 %rd5, shared; ld.shared.u32 %r10, [%rd5+1020];", lanes) == "");
    CHECK(failure("mov.u64 %rd5, shared; ld.shared.u32 %r10, [%rd5+-2000];", lanes) != "");
    CHECK(failure("ld.global.u32 %r10, [-4];", lanes) != "");
    CHECK(failure("st.global.v8.b128 [%rd20], {%q1, %q1, %q1, %q1, %q1, %q1, %q1, %q1};").find("128 bytes") !=
          std::string::npos);
    CHECK(failure("atom.global.cas.b32 %r10, [%rd20], %r1, _;").find("'_' has no value") != std::string::npos);
    CHECK(failure("stmatrix.sync.aligned.m8n8.x2.shared.b16 [shared], {%r1, _};", lanes).find("'_' has no value") !=
          std::string::npos);
    CHECK(failure("atom.global.exch.b128 %q1, [%rd20], 5;").find("from a register") != std::string::npos);
}

TEST_CASE("shared, local, constant and generic addresses reach the same bytes") {
    check32("mov.u32 %r5, shared; mad.lo.u32 %r5, %r40, 4, %r5; st.shared.u32 [%r5], %r1; cvt.u64.u32 %rd5, %r5;"
            "cvta.shared.u64 %rd6, %rd5; ld.u32 %r10, [%rd6];",
            values, [](const In& x) { return u32(x.a); });
    check32("st.shared.u32 [shared+64], 11; ld.shared.u32 %r10, [shared+64];", {In{}}, [](const In&) { return 11u; });
    check32(".local .align 8 .b8 l[32]; st.local.u32 [l+4], %r1; mov.u64 %rd5, l; cvta.local.u64 %rd6, %rd5; ld.u32 "
            "%r10, [%rd6+4];",
            values, [](const In& x) { return u32(x.a); });
    const auto constant = execute("ld.const.u32 %r10, [c+4]; mov.u64 %rd5, c; ld.const.u32 %r11, [%rd5];", {In{}},
                                  ".const .align 4 .u32 c[2] = {5, 6};\n.global .align 4 .u32 g[2] = {7, 8};\n");
    CHECK(constant[0].narrow == 6);
    CHECK(constant[0].second == 5);
    const auto parameter =
        execute("mov.b64 %rd5, count; cvta.param.u64 %rd6, %rd5; ld.u32 %r10, [%rd6]; ld.param.u32 %r11, [%rd5];",
                std::vector<In>(5));
    CHECK(parameter[0].narrow == 5);
    CHECK(parameter[0].second == 5);
    const auto narrow = execute("mov.b32 %r5, count; cvt.u64.u32 %rd5, %r5; cvta.param.u64 %rd6, %rd5; ld.u32 %r10, "
                                "[%rd6]; ld.param.u32 %r11, [%r5];",
                                std::vector<In>(5));
    CHECK(narrow[0].narrow == 5);
    CHECK(narrow[0].second == 5);
}

TEST_CASE("bad addresses stop the launch with a sentence") {
    CHECK(failure("mov.u64 %rd5, 0; ld.global.u32 %r10, [%rd5];").find("null pointer") != std::string::npos);
    CHECK(failure("ld.global.u32 %r10, [%rd20+2];").find("multiple of 4") != std::string::npos);
    CHECK(failure("ld.global.u32 %r10, [%rd20+4096];") != "");
    CHECK(failure("ld.shared.u32 %r10, [shared+1024];") != "");
    CHECK(failure("mov.u64 %rd5, c; st.global.u32 [%rd5], 1;", {In{}}, ".const .u32 c = 5;\n").find("only read") !=
          std::string::npos);
    CHECK(failure("ld.param.u32 %r10, [count+4];").find("outside parameter") != std::string::npos);
    CHECK(failure("st.param.u32 [count], 1;") != "");
}

TEST_CASE("statistics count bytes by path, bank conflicts and synchronous staging") {
    execute("mov.u32 %r5, shared; mad.lo.u32 %r6, %r40, 4, %r5; ld.global.u32 %r7, [%rd20]; st.shared.u32 [%r6], %r7;",
            lanes);
    CHECK(statistics().shared_store_bytes == 128);
    CHECK(statistics().staged_bytes == 128);
    CHECK(statistics().shared_accesses == 1);
    CHECK(statistics().shared_bank_cycles == 1);
    execute("mov.u32 %r5, shared; mad.lo.u32 %r6, %r40, 8, %r5; mov.u32 %r7, 1; st.shared.u32 [%r6], %r7;", lanes);
    CHECK(statistics().staged_bytes == 0);
    CHECK(statistics().shared_bank_cycles == 2);
    execute("mov.u32 %r5, shared; ld.shared.u32 %r10, [%r5];", lanes); // one word for all
    CHECK(statistics().shared_bank_cycles == 1);
    execute("mov.u32 %r5, shared; mad.lo.u32 %r6, %r40, 16, %r5; ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r6];",
            lanes);
    CHECK(statistics().shared_accesses == 4); // by quarters of the warp
    CHECK(statistics().shared_bank_cycles == 4);
}

TEST_CASE("atom returns the old value, one lane after another") {
    const auto run = [](const std::string& op, const std::string& setup = "") {
        return execute("mov.u32 %r5, shared; " + setup + " bar.sync 0; " + op, lanes);
    };
    const auto ids = run("atom.shared.add.u32 %r10, [shared], 2; bar.warp.sync -1; ld.shared.u32 %r11, [shared];",
                         "st.shared.u32 [shared], 100;");
    for (u32 i = 0; i < 32; ++i) {
        CHECK(ids[i].narrow == 100 + 2 * i);
        CHECK(ids[i].second == 164);
    }
    const auto one = [&](const std::string& op, u32 start) {
        return execute("st.global.u32 [%rd20], " + std::to_string(start) + ";" + op + " ld.global.u32 %r11, [%rd20];",
                       {In{0xfffffff0, 5, 7, 0}})[0]
            .second;
    };
    CHECK(one("atom.global.min.s32 %r10, [%rd20], %r1;", 3) == 0xfffffff0);
    CHECK(one("atom.global.min.u32 %r10, [%rd20], %r1;", 3) == 3);
    CHECK(one("atom.global.max.s32 %r10, [%rd20], %r1;", 3) == 3);
    CHECK(one("atom.global.inc.u32 %r10, [%rd20], %r2;", 5) == 0);
    CHECK(one("atom.global.inc.u32 %r10, [%rd20], %r2;", 4) == 5);
    CHECK(one("atom.global.dec.u32 %r10, [%rd20], %r2;", 0) == 5);
    CHECK(one("atom.global.dec.u32 %r10, [%rd20], %r2;", 9) == 5);
    CHECK(one("atom.global.and.b32 %r10, [%rd20], %r2;", 6) == 4);
    CHECK(one("atom.global.or.b32 %r10, [%rd20], %r2;", 6) == 7);
    CHECK(one("atom.global.xor.b32 %r10, [%rd20], %r2;", 6) == 3);
    CHECK(one("atom.global.exch.b32 %r10, [%rd20], %r2;", 6) == 5);
    CHECK(one("atom.acq_rel.gpu.global.cas.b32 %r10, [%rd20], %r2, %r3;", 5) == 7);
    CHECK(one("atom.global.cas.b32 %r10, [%rd20], %r2, %r3;", 6) == 6);
    CHECK(one("atom.add.f32 _, [%rd20], 0f3f800000;", 0x3f800000) == 0x40000000);
    CHECK(one("atom.global.add.f32 _, [%rd20], 0f00000000;", 1) == 0); // global adds flush subnormals
    CHECK(one("red.relaxed.gpu.global.add.u32 [%rd20], %r2;", 6) == 11);
    CHECK(one("red.global.add.noftz.f16x2 [%rd20], 0x3c003c00;", 0x3c004000) == 0x40004200);
    CHECK(one("red.global.add.noftz.bf16x2 [%rd20], 0x3f803f80;", 0x3f804000) == 0x40004040);
    CHECK(one("red.global.max.noftz.f16x2 [%rd20], 0x3c004400;", 0x40003c00) == 0x40004400);
    CHECK(one("mov.b32 %r6, 0x3f800000; red.global.v2.f32.add [%rd20], {%r6, %r6};", 0x3f800000) == 0x40000000);
    check64(
        "st.global.f64 [%rd20], %rd1; red.global.add.f64 [%rd20], 0d3ff0000000000000; ld.global.f64 %rd10, [%rd20];",
        {{bits(2.5), 0, 0, 0}}, [](const In&) { return bits(3.5); });
    check64("st.global.u64 [%rd20], 5; atom.global.add.u64 %rd10, [%rd20], %rd1; ld.global.u64 %rd10, [%rd20];", values,
            [](const In& x) { return x.a + 5; });
    check64("mov.b128 %q1, {%rd1, %rd2}; mov.b128 %q2, {0, 0}; atom.global.cas.b128 %q3, [%rd20], %q2, %q1; "
            "ld.global.u64 %rd10, [%rd20+8];",
            values, [](const In& x) { return x.b; });
    check16("st.global.u16 [%rd20], 9; atom.global.cas.b16 %h10, [%rd20], %h1, %h2;", values,
            [](const In&) { return u16(9); });
    CHECK(failure("atom.global.add.b32 %r10, [%rd20], %r1;") != "");
    CHECK(failure("atom.global.inc.s32 %r10, [%rd20], %r1;") != "");
    CHECK(failure("atom.global.add.u32 %r10, [%rd20+1], %r1;").find("multiple of 4") != std::string::npos);
}

TEST_CASE("fences, prefetches and hints may be executed anywhere") {
    for (const char* body :
         {"fence.sc.gpu;", "fence.acq_rel.cta;", "fence.gpu;", "fence.acquire.cluster;",
          "fence.mbarrier_init.release.cluster;", "membar.gl;", "membar.sys;", "membar.cta;",
          "prefetch.global.L2 [%rd20];", "prefetchu.L1 [%rd20];", "applypriority.global.L2::evict_normal [%rd20], 128;",
          "discard.global.L2 [%rd20], 128;", "createpolicy.cvt.L2.b64 %rd5, 0x1000000000000000;"})
        CHECK_MESSAGE(failure(body) == "", body);
}

TEST_CASE("ldmatrix, stmatrix and movmatrix lay elements out as the manual draws them") {
    // Element (row, column) of matrix m is 100 m + 10 row + column.
    const std::string fill =
        "mov.u32 %r5, shared; mad.lo.u32 %r6, %r40, 16, %r5; shr.u32 %r7, %r40, 3; and.b32 %r8, %r40, 7;"
        "mul.lo.u32 %r9, %r7, 100; mad.lo.u32 %r9, %r8, 10, %r9; mov.u32 %r12, 0;"
        "L: add.u32 %r13, %r9, %r12; mad.lo.u32 %r14, %r12, 2, %r6; st.shared.u16 [%r14], %r13;"
        "add.u32 %r12, %r12, 1; setp.lt.u32 %p5, %r12, 8; @%p5 bra L; bar.sync 0;";
    const auto x4 = execute(
        fill + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, %r23}, [%r6]; mov.u32 %r10, %r22;", lanes);
    const auto t2 = execute(
        fill + "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r20, %r21}, [%r6]; mov.u32 %r10, %r21;", lanes);
    const auto moved = execute(
        fill +
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [%r6]; movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r20;",
        lanes);
    const auto stored =
        execute(fill + "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r6]; add.u32 %r15, %r6, 512;"
                       "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r15], {%r20, %r21}; bar.warp.sync -1;"
                       "ld.shared.u32 %r10, [%r15];",
                lanes);
    for (u32 lane = 0; lane < 32; ++lane) {
        const u32 row = lane / 4, column = lane % 4 * 2;
        CHECK(x4[lane].narrow == (200 + 10 * row + column) + ((200 + 10 * row + column + 1) << 16));
        CHECK(t2[lane].narrow == (100 + 10 * column + row) + ((100 + 10 * (column + 1) + row) << 16));
        CHECK(moved[lane].narrow == (10 * column + row) + ((10 * (column + 1) + row) << 16));
        if (lane < 16)
            CHECK(stored[lane].narrow == (lane / 8 * 100 + lane % 8) + ((lane / 8 * 100 + 10 + lane % 8) << 16));
    }
    CHECK(failure("@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r20}, [shared];",
                  std::vector<In>(20, In{1, 0, 0, 0})) != "");
}

} // namespace memory_test
