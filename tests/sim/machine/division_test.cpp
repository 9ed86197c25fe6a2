// A launch of which several processes execute parts leaves what it leaves if one process executes it: memory, counters,
// findings, and what the detector knows of it afterwards.
#include <string>

#include <doctest/doctest.h>

#include "parts.h"

using namespace sim::machine;

namespace {

/// Enough instructions for a launch to be divided after some of its blocks.
const std::string long_work = R"(
    mov.u32 %r8, 0;
AGAIN:
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, 200;
    @%p1 bra AGAIN;
)";
//// Each block reads the same 64 words, and writes its own.
const std::string reads_table = long_work + R"(
    mad.wide.u32 %rd5, %r1, 4, %rd1;
    ld.global.u32 %r5, [%rd5];
    add.u32 %r5, %r5, %r3;
    st.global.u32 [%rd4], %r5;
)";

} // namespace

TEST_CASE("blocks that do not communicate run in parts") {
    for (const auto& schedule : {Schedule{}, Schedule{Schedule::Completion::eager, Schedule::Warps::one_ahead, 1}}) {
        const Left left = in_parts_too({reads_table}, false, schedule);
        CHECK(left.divided == 1);
        CHECK(left.findings.empty());
        CHECK(left.words[all_words + 5] == 12);
    }
    CHECK(in_parts_too({reads_table}, false, {Schedule::Completion::random, Schedule::Warps::random, 1}).divided == 0);
}

TEST_CASE("what only the last block executes counts as executed") {
    const Left quiet = in_parts_too({reads_table + R"(
        setp.ne.u32 %p2, %r2, 63;
        @%p2 bra OUT;
        ld.global.u32 %r6, [%rd3];
        st.global.u32 [%rd4], %r6;
    OUT:
    )"});
    CHECK(quiet.divided == 1);
    CHECK(quiet.words[2 * all_words - 1] == 7);
}

TEST_CASE("blocks of different parts that race are reported as in one process") {
    // The last block writes a word that the first has written, or that all read.
    for (const char* store : {"st.global.u32 [%rd2], %r3;", "st.global.u32 [%rd5], %r3;"}) {
        const Left left = in_parts_too({reads_table + R"(
        setp.ne.u32 %p2, %r3, 4095;
        @%p2 bra OUT;
        )" + store + "\n    OUT:\n"});
        CHECK(left.divided == 0);
        CHECK(left.findings.find("race") != std::string::npos);
    }
}

TEST_CASE("blocks that communicate run in one process") {
    const std::string by[] = {"atom.global.add.u32 %r5, [%rd1], 1; st.global.u32 [%rd4], %r5;",
                              "ld.volatile.global.u32 %r5, [%rd1];", "membar.gl;", "mov.u32 %r5, %clock;"};
    for (const std::string& instruction : by) {
        CAPTURE(instruction);
        CHECK(in_parts_too({instruction + long_work + "st.global.u32 [%rd4], %r3;"}).divided == 0);
        CHECK(in_parts_too({long_work + instruction + "st.global.u32 [%rd4], %r3;"}).divided == 0);
    }
    CHECK(in_parts_too({long_work + "atom.shared.add.u32 %r5, [own], 1; st.global.u32 [%rd4], %r3;"}).divided ==
          0); // undefined
    CHECK(in_parts_too({"bar.warp.sync -1;" + long_work + "st.global.u32 [%rd4], %r3;"}).divided == 1);
}

TEST_CASE("a load of bytes that nothing has written is judged by its block") {
    const std::string shared = long_work + "ld.shared.u32 %r5, [own+64];", unused = "st.global.u32 [%rd4], %r3;",
                      used = "st.global.u32 [%rd4], %r5;";
    const Left fine = in_parts_too({shared + unused}), reported = in_parts_too({shared + used});
    CHECK(fine.divided == 1);
    CHECK(fine.findings.empty());
    CHECK(reported.divided == 0);
    CHECK(reported.findings.find("uninitialised-read") != std::string::npos);
    // Another block may write to global memory later.
    CHECK(in_parts_too({long_work + "ld.global.u32 %r5, [%rd4];" + unused}).divided == 0);
    // So it is with the register of a lane that takes no part.
    const std::string half = long_work + R"(
        and.b32 %r6, %r1, 16;
        setp.eq.u32 %p2, %r6, 0;
        @%p2 shfl.sync.down.b32 %r5, %r3, 8, 31, -1;
    )";
    CHECK(in_parts_too({half + unused}).divided == 1);
    CHECK(in_parts_too({half + "@%p2 st.global.u32 [%rd4], %r5;"}).divided == 0);
}

TEST_CASE("a launch that nothing orders is compared with what all parts have done") {
    const std::string overwrites_results = "st.global.u32 [%rd4], %r3;",
                      overwrites_table = "st.global.u32 [%rd3], %r3;";
    for (const std::string& second : {overwrites_results, overwrites_table,
                                      std::string("ld.global.u32 %r5, [%rd4];"
                                                  "st.global.u32 [%rd3], %r5;")}) {
        CAPTURE(second);
        const Left left = in_parts_too({reads_table, second}, true);
        CHECK(left.divided == 1);
        CHECK(left.findings.find("stream-race") != std::string::npos);
        const Left ordered = in_parts_too({reads_table, second});
        CHECK(ordered.findings.empty());
    }
}

TEST_CASE("bytes, vectors and parts of words come back as they are") {
    const Left left = in_parts_too({long_work + R"(
        mad.wide.u32 %rd5, %r3, 4, %rd2;
        st.global.u8 [%rd5], %r1;
        st.global.u8 [%rd5+1], %r2;
        st.global.u16 [%rd5+2], %r3;
        and.b32 %r6, %r1, 3;
        setp.ne.u32 %p2, %r6, 0;
        @%p2 bra OUT;
        st.global.v4.u32 [%rd3], {%r1, %r2, %r3, %r4};
    OUT:
    )",
                                    "ld.global.u32 %r5, [%rd4]; st.global.u32 [%rd3], %r5;"},
                                   true);
    CHECK(left.divided == 1);
    CHECK(left.findings.find("stream-race") != std::string::npos);
}
