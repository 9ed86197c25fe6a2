// Lanes that part, meet again, and wait for each other.
#include <bit>

#include <doctest/doctest.h>

#include "kernel.h"

using sim::machine::Fault;

namespace {

std::string failure(const Ran& ran) {
    return ran.outcome ? "" : ran.outcome.message;
}

} // namespace

TEST_CASE("lanes that part at a branch run together again where the paths meet") {
    const Ran ran = run(R"(
        and.b32 %r2, %r1, 1;
        setp.eq.u32 %p1, %r2, 0;
        @%p1 bra EVEN;
        activemask.b32 %r3;
        bra JOIN;
    EVEN:
        activemask.b32 %r3;
    JOIN:
        activemask.b32 %r4;
        st.global.u32 [%rd2], %r3;
        st.global.u32 [%rd2+128], %r4;
    )",
                        64);
    REQUIRE(failure(ran) == "");
    for (uint32_t lane = 0; lane < 32; ++lane) {
        CHECK(ran.words[lane] == (lane % 2 ? 0xaaaaaaaa : 0x55555555));
        CHECK(ran.words[32 + lane] == 0xffffffff);
    }
}

TEST_CASE("lanes leave a loop one by one and meet behind it") {
    const Ran ran = run(R"(
        mov.u32 %r2, 0;
    LOOP:
        setp.ge.u32 %p1, %r2, %r1;
        @%p1 bra BEHIND;
        activemask.b32 %r3;
        add.u32 %r2, %r2, 1;
        bra LOOP;
    BEHIND:
        activemask.b32 %r4;
        popc.b32 %r3, %r3;
        st.global.u32 [%rd2], %r3;
        st.global.u32 [%rd2+128], %r4;
    )",
                        64);
    REQUIRE(failure(ran) == "");
    for (uint32_t lane = 1; lane < 32; ++lane)
        CHECK(ran.words[lane] == 32 - lane); // the lanes from this one on are in its last round
    for (uint32_t lane = 0; lane < 32; ++lane)
        CHECK(ran.words[32 + lane] == 0xffffffff);
}

TEST_CASE("a lane that spins on a flag does not keep the lane of its warp from setting it") {
    const std::string wait = R"(
    SPIN:
        ld.volatile.shared.u32 %r2, [flag];
        setp.eq.u32 %p2, %r2, 0;
        @%p2 bra SPIN;
    )";
    const std::string set = "st.volatile.shared.u32 [flag], 7;\n";
    for (const char* setter : {"0", "17", "31"}) {
        // Whichever of the two paths comes first in the program.
        const std::string lane = std::string("setp.eq.u32 %p1, %r1, ") + setter + ";\n";
        const Ran waits_first = run(lane + "@%p1 bra SET;\n" + wait + "bra END;\nSET:\n" + set +
                                        "END: ld.shared.u32 %r3, [flag]; st.global.u32 [%rd2], %r3;",
                                    32);
        const Ran sets_first = run(lane + "@!%p1 bra WAIT;\n" + set + "bra END;\nWAIT:\n" + wait +
                                       "END: ld.shared.u32 %r3, [flag]; st.global.u32 [%rd2], %r3;",
                                   32);
        for (const Ran& ran : {waits_first, sets_first}) {
            REQUIRE(failure(ran) == "");
            CHECK(ran.words == std::vector<uint32_t>(32, 7));
        }
    }
}

TEST_CASE("bar.warp.sync synchronises the lanes of its mask, and no others") {
    const Ran ran = run(R"(
        setp.lt.u32 %p1, %r1, 8;
        @%p1 bra LOW;
        nanosleep.u32 20;
        bra JOIN;
    LOW:
        setp.lt.u32 %p2, %r1, 4;
        @%p2 bra LOWEST;
        nanosleep.u32 20;
    LOWEST:
        bar.warp.sync 0xff;
        activemask.b32 %r3;
        st.global.u32 [%rd2], %r3;
    JOIN:
    )",
                        32);
    REQUIRE(failure(ran) == "");
    for (uint32_t lane = 0; lane < 32; ++lane)
        CHECK(ran.words[lane] == (lane < 8 ? 0xffu : 0u));
}

TEST_CASE("a warp-wide exchange waits for the lanes that took the longer way, and gives them their values") {
    const Ran ran = run(R"(
        setp.lt.u32 %p1, %r1, 16;
        @%p1 bra SHORT;
        nanosleep.u32 50;
    SHORT:
        shfl.sync.bfly.b32 %r3, %r1, 16, 0x1f, 0xffffffff;
        st.global.u32 [%rd2], %r3;
    )",
                        32);
    REQUIRE(failure(ran) == "");
    for (uint32_t lane = 0; lane < 32; ++lane)
        CHECK(ran.words[lane] == (lane ^ 16));
}

TEST_CASE("lanes that end early are not waited for by those that stay") {
    const Ran ran = run(R"(
        setp.ge.u32 %p1, %r1, 20;
        @%p1 exit;
        bar.sync 0;
        activemask.b32 %r3;
        st.global.u32 [%rd2], %r3;
    )",
                        32);
    REQUIRE(failure(ran) == "");
    CHECK(ran.words[19] == 0xfffff);
    CHECK(ran.words[20] == 0);
}

TEST_CASE("a partial last warp has as many lanes as there are threads") {
    const Ran ran = run("activemask.b32 %r3; st.global.u32 [%rd2], %r3;", 64, {.threads = 45});
    REQUIRE(failure(ran) == "");
    CHECK(ran.words[31] == 0xffffffff);
    CHECK(ran.words[32] == 0x1fff);
    CHECK(ran.words[45] == 0);
}

TEST_CASE("a barrier for more threads than ever arrive is a deadlock whose report names the waiting threads") {
    const Ran ran = run("setp.ge.u32 %p1, %r1, 32; @%p1 bra END; bar.sync 1, 96; END:", 1, {.threads = 64});
    CHECK(ran.outcome.fault == Fault::deadlock);
    CHECK(ran.outcome.message.find("barrier") != std::string::npos);
}

TEST_CASE("a lane that waits for a flag that is never set is a deadlock, not an endless run") {
    const Ran ran = run("SPIN: ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;", 1,
                        {.max_instructions = 2'000'000'000});
    CHECK(ran.outcome.fault == Fault::deadlock);
}

TEST_CASE("a loop that goes on computing is stopped by the budget of instructions") {
    const Ran ran =
        run("LOOP: add.u32 %r2, %r2, 1; st.global.u32 [%rd2], %r2; bra LOOP;", 32, {.max_instructions = 100'000});
    CHECK(ran.outcome.fault == Fault::runaway);
}
