// The order in which warps have their turns: each schedule is deterministic, fair, and unlike the others.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "kernel.h"

using sim::machine::Schedule;
using Warps = Schedule::Warps;
using Completion = Schedule::Completion;

namespace {

// Each warp takes 40 tickets, with some work between any two: the words say which warp got which.
Ran tickets(const Schedule& schedule, uint32_t blocks = 1) {
    return run(R"(
        shr.u32 %r2, %r1, 5;
        shl.b32 %r3, %r30, 2;
        add.u32 %r2, %r2, %r3;
        and.b32 %r3, %r1, 31;
        setp.ne.u32 %p1, %r3, 0;
        @%p1 exit;
        mov.u32 %r4, 0;
    NEXT:
        atom.global.add.u32 %r5, [%rd1], 1;
        mad.wide.u32 %rd3, %r5, 4, %rd1;
        st.global.u32 [%rd3+4], %r2;
        mov.u32 %r6, 0;
    WORK:
        add.u32 %r6, %r6, 1;
        setp.lt.u32 %p2, %r6, 30;
        @%p2 bra WORK;
        add.u32 %r4, %r4, 1;
        setp.lt.u32 %p2, %r4, 40;
        @%p2 bra NEXT;
    )",
               1 + blocks * 160, {.blocks = blocks, .threads = 128, .schedule = schedule});
}

std::vector<uint32_t> order(const Schedule& schedule) {
    const Ran ran = tickets(schedule);
    REQUIRE(ran.outcome);
    REQUIRE(ran.words[0] == 160);
    return {ran.words.begin() + 1, ran.words.end()};
}

// How often the next ticket goes to another warp.
size_t changes(const std::vector<uint32_t>& order) {
    size_t n = 0;
    for (size_t i = 1; i < order.size(); ++i)
        n += order[i] != order[i - 1];
    return n;
}

} // namespace

TEST_CASE("every warp gets all of its turns under every schedule") {
    for (const Warps warps : {Warps::round_robin, Warps::one_ahead, Warps::random}) {
        const auto taken = order({Completion::lazy, warps, 5});
        for (uint32_t warp = 0; warp < 4; ++warp)
            CHECK(std::count(taken.begin(), taken.end(), warp) == 40);
    }
}

TEST_CASE("round robin: all warps are about as far") {
    const auto taken = order({Completion::lazy, Warps::round_robin, 1});
    std::vector<int> count(4);
    for (const uint32_t warp : taken) {
        ++count[warp];
        const auto [least, most] = std::minmax_element(count.begin(), count.end());
        CHECK(*most - *least <= 4);
    }
}

TEST_CASE("one ahead: one warp is done before the others have come far") {
    const auto taken = order({Completion::eager, Warps::one_ahead, 1});
    const auto round_robin = order({Completion::eager, Warps::round_robin, 1});
    CHECK(changes(taken) < changes(round_robin));
    // Among the first 40 tickets nearly all are one warp's.
    std::vector<size_t> first(4);
    for (size_t i = 0; i < 40; ++i)
        ++first[taken[i]];
    CHECK(*std::max_element(first.begin(), first.end()) >= 30);
}

TEST_CASE("random: the seed decides, and nothing else") {
    const auto one = order({Completion::random, Warps::random, 1});
    CHECK(one == order({Completion::random, Warps::random, 1}));
    CHECK(one != order({Completion::random, Warps::random, 2}));
    CHECK(one != order({Completion::lazy, Warps::round_robin, 1}));
}

TEST_CASE("the other schedules do the same each time, whatever the seed of the data") {
    for (const Warps warps : {Warps::round_robin, Warps::one_ahead})
        CHECK(order({Completion::lazy, warps, 3}) == order({Completion::lazy, warps, 3}));
}

TEST_CASE("more blocks than fit run in waves, and all of them run") {
    const Ran ran = run("atom.global.add.u32 %r5, [%rd1], 1;", 1, {.blocks = 300, .threads = 1024});
    REQUIRE(ran.outcome);
    CHECK(ran.words[0] == 300 * 1024);
}

TEST_CASE("blocks that are resident together make progress together") {
    // Each of eight blocks waits until all eight have come.
    const Ran ran = run(R"(
        setp.ne.u32 %p1, %r1, 0;
        @%p1 exit;
        atom.global.add.u32 %r5, [%rd1], 1;
    SPIN:
        ld.volatile.global.u32 %r6, [%rd1];
        setp.lt.u32 %p2, %r6, 8;
        @%p2 bra SPIN;
        atom.global.add.u32 %r5, [%rd1+4], 1;
    )",
                        2, {.blocks = 8, .threads = 64});
    REQUIRE(ran.outcome);
    CHECK(ran.words == std::vector<uint32_t>{8, 8});
}
