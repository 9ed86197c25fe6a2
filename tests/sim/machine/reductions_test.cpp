// Atomic operations without a result in a launch of which several processes execute parts: what they leave, and who has
// executed the last of them, is the same as in one process.
#include <string>

#include <doctest/doctest.h>

#include "parts.h"

using namespace sim::machine;

namespace {

/// Blocks, and the warps of each, take different times.
const std::string uneven_work = R"(
    shr.u32 %r9, %r1, 5;
    mad.lo.u32 %r9, %r2, 37, %r9;
    and.b32 %r9, %r9, 31;
    mul.lo.u32 %r9, %r9, 20;
    add.u32 %r9, %r9, 50;
    mov.u32 %r8, 0;
UNEVEN:
    add.u32 %r8, %r8, 1;
    setp.lt.u32 %p1, %r8, %r9;
    @%p1 bra UNEVEN;
)";
/// Four words of the first buffer, 8 bytes apart, for each thread one, in %rd5. %r6: a number that is not even.
const std::string few_words = R"(
    and.b32 %r6, %r3, 3;
    mad.wide.u32 %rd5, %r6, 8, %rd1;
    mul.lo.u32 %r6, %r3, 2654435761;
)";
const std::string stores_own = "    st.global.u32 [%rd4], %r3;\n";

const std::string prologue = uneven_work + few_words;

} // namespace

TEST_CASE("integer reductions of blocks in parts") {
    for (const char* operation : {"add.u32", "add.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32"})
        for (const char* how : {"red.global.", "red.relaxed.gpu.global.", "atom.global."}) {
            CAPTURE(operation);
            const std::string target = how[0] == 'a' ? " %r10, [%rd5], %r6;\n" : " [%rd5], %r6;\n";
            const Left left = in_parts_too({prologue + how + operation + target + stores_own});
            CHECK(left.divided == 1);
            CHECK(left.findings.empty());
        }
    for (const char* operation : {"add.u64", "max.s64", "xor.b64"}) {
        CAPTURE(operation);
        CHECK(in_parts_too({prologue + "cvt.u64.u32 %rd6, %r6; shl.b64 %rd6, %rd6, 9; red.global." + operation +
                            " [%rd5], %rd6;\n" + stores_own})
                  .divided == 1);
    }
}

TEST_CASE("sums of floating-point numbers keep the order of one process") {
    const std::string number = "cvt.rn.f32.u32 %f1, %r6; mul.f32 %f1, %f1, 0f2F800123; ex2.approx.f32 %f1, %f1;\n",
                      add = "red.global.add.f32 [%rd5], %f1;\n",
                      add_double = "cvt.f64.f32 %fd1, %f1; red.global.add.f64 [%rd5], %fd1;\n";
    for (const std::string& sum : {add, add_double, add + uneven_work.substr(0, uneven_work.find("UNEVEN")) + add}) {
        CAPTURE(sum);
        const Left left = in_parts_too({prologue + number + sum + stores_own});
        CHECK(left.divided == 1);
        CHECK(left.findings.empty());
    }
    for (const uint32_t cluster : {2, 4})
        CHECK(in_parts_too({prologue + number + add + stores_own}, false, {}, cluster).divided == 1);
    CHECK(in_parts_too({prologue + number + add + add + stores_own, prologue + number + add + stores_own}).divided ==
          2);
}

TEST_CASE("the last of the reductions is known") {
    const std::string sum = prologue + "red.global.add.u32 [%rd5], %r6;\n" + stores_own;
    for (const std::string& second : {std::string("ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd4], %r5;"),
                                      std::string("mov.u32 %r5, 1; st.global.u32 [%rd1+8], %r5;"),
                                      std::string("atom.global.add.u32 %r5, [%rd1], 1; ld.global.u32 %r5, [%rd1];"),
                                      sum + "ld.global.u32 %r5, [%rd1+16];"}) {
        CAPTURE(second);
        const Left left = in_parts_too({sum, second}, true);
        CHECK(left.divided >= 1);
        CHECK(left.findings.find("race") != std::string::npos);
    }
    CHECK(in_parts_too({sum, prologue + "red.global.add.u32 [%rd5], %r3;\n"}, true).findings.empty());
    CHECK(in_parts_too({sum, "ld.global.u32 %r5, [%rd1]; st.global.u32 [%rd4], %r5;"}).findings.empty());
}

TEST_CASE("words of reductions that are used in another way") {
    const std::string sum = "red.global.add.u32 [%rd5], %r6;\n";
    const std::string others[] = {
        "atom.global.add.u32 %r5, [%rd1], 1; st.global.u32 [%rd4], %r5;", // a ticket
        "red.global.max.u32 [%rd5], %r6;",                                // of two kinds
        "red.global.add.u64 [%rd1], 1;",                                  // half of it is another word
        "atom.global.inc.u32 %r5, [%rd5], 100;",
        "atom.global.cas.b32 %r5, [%rd5], 1, 2;",
        "red.global.cta.add.u32 [%rd5], 1;",
        "red.release.gpu.global.add.u32 [%rd5], 1;",
        "membar.cta; red.global.add.u32 [%rd5], 1;",
        "ld.global.u32 %r5, [%rd5]; st.global.u32 [%rd4], %r5;",
        "st.global.u32 [%rd5], %r6;",
    };
    for (const std::string& other : others) {
        CAPTURE(other);
        CHECK(in_parts_too({prologue + sum + other + stores_own}).divided == 0);
        CHECK(in_parts_too({prologue + other + sum + stores_own}).divided == 0);
    }
    // Only the last block does.
    for (const std::string& other : {others[0], others[1], others[8], others[9]}) {
        CAPTURE(other);
        CHECK(in_parts_too({prologue + sum + stores_own + "setp.ne.u32 %p2, %r2, 63; @%p2 ret;\n" + other}).divided ==
              0);
    }
    // Where one block has a word of its own, it may read it, but nothing is known of the others.
    CHECK(in_parts_too({uneven_work + "red.global.add.u32 [%rd3], 5; ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd4], "
                                      "%r5;"})
              .divided == 0);
    CHECK(in_parts_too({uneven_work + "red.global.add.u32 [%rd3], 5;" + stores_own}).divided == 1);
    const Schedule one_ahead{Schedule::Completion::lazy, Schedule::Warps::one_ahead, 1};
    CHECK(in_parts_too({prologue + sum + stores_own}, false, one_ahead).divided == 0);
}
