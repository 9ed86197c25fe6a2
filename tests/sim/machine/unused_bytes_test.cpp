// Loads of vectors of which only some elements are used: the others may lie beyond an allocation. Most of these tests
// have a buffer of three words.
#include <doctest/doctest.h>

#include "kernel.h"

using sim::machine::Fault;

namespace {

void works(const std::string& body) {
    CAPTURE(body);
    const Ran ran = run(body, 3, {.blocks = 1, .threads = 1});
    CHECK_MESSAGE(ran.outcome, ran.outcome.message);
}

void faults(const std::string& body) {
    CAPTURE(body);
    const Ran ran = run(body, 3, {.blocks = 1, .threads = 1});
    REQUIRE_FALSE(ran.outcome);
    CHECK(ran.outcome.fault == Fault::illegal_address);
}

} // namespace

TEST_CASE("an unused element may have any address") {
    works("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1]; st.global.u32 [%rd1], %r4;");
    works("ld.global.v4.u32 {%r2, %r3, %r4, _}, [%rd1]; st.global.u32 [%rd1], %r4;");
    faults("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1]; st.global.u32 [%rd1], %r5;");
    faults("ld.volatile.global.v4.u32 {%r2, %r3, %r4, _}, [%rd1]; st.global.u32 [%rd1], %r4;");
}

TEST_CASE("an element is read if any path leads to a read") {
    const std::string load = "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];";
    const std::string use = "st.global.v2.u32 [%rd1], {%r4, %r5};";
    works(load + "mov.u32 %r5, 1;" + use);
    faults(load + "setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r5, 1;" + use);
    faults(load + "setp.eq.u32 %p1, %r1, 0; @%p1 bra $over; " + use + " $over: add.u32 %r2, %r2, 1;");
    works(load + "setp.eq.u32 %p1, %r1, 0; @%p1 bra $over; mov.u32 %r5, 1; $over: mov.u32 %r5, 2;" + use);
    faults("mov.u32 %r5, 7; mov.u32 %r6, 0; $again: st.global.u32 [%rd1], %r5;" + load +
           "add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 2; @%p1 bra $again;");
    faults(load + "setp.eq.u32 %p1, %r5, 1; @%p1 bra $over; mov.u32 %r5, 1; $over: mov.u32 %r6, %r2;");
    faults(load + "shl.b32 %r5, %r5, 1;" + use);
}

TEST_CASE("elements in the middle and at the start may be unused, too") {
    const Ran ran = run("mov.u32 %r2, 5; st.global.u32 [%rd1+12], %r2;"
                        "ld.global.v4.u32 {_, %r3, _, %r5}, [%rd1]; add.u32 %r6, %r3, %r5; st.global.u32 [%rd1], %r6;",
                        4, {.blocks = 1, .threads = 1});
    CHECK(ran.outcome);
    CHECK(ran.words[0] == 5);
}

TEST_CASE("the address is as aligned as that of the whole vector") {
    const Ran ran = run("ld.global.v4.u32 {_, %r3, %r4, %r5}, [%rd1+4]; st.global.v2.u32 [%rd1], {%r3, %r4};", 8,
                        {.blocks = 1, .threads = 1});
    REQUIRE_FALSE(ran.outcome);
    CHECK(ran.outcome.fault == Fault::misaligned_address);
}

TEST_CASE("the compiler says which bytes are used") {
    const std::string use = "st.global.u32 [%rd1], %r2;";
    works(R"(.pragma "used_bytes_mask 15"; ld.global.u64 %rd3, [%rd1+8]; cvt.u32.u64 %r2, %rd3;)" + use);
    works(R"(.pragma "used_bytes_mask 4095"; ld.global.v2.u64 {%rd3, %rd4}, [%rd1]; cvt.u32.u64 %r2, %rd4;)" + use);
    faults("ld.global.u64 %rd3, [%rd1+8]; cvt.u32.u64 %r2, %rd3;" + use);
    faults(R"(.pragma "used_bytes_mask 15"; add.u32 %r3, %r1, 1;
              ld.global.u64 %rd3, [%rd1+8]; cvt.u32.u64 %r2, %rd3;)" +
           use);
}
