#include <bit>

#include <doctest/doctest.h>

#include "snippet.h"

using u32 = uint32_t;
using u64 = uint64_t;

namespace warp_test {

std::vector<In> numbered(u32 count = 32) {
    std::vector<In> inputs;
    for (u32 i = 0; i < count; ++i)
        inputs.push_back({i, i / 8, i * 3, i % 5});
    return inputs;
}

TEST_CASE("shfl: up, down, bfly and idx, in segments, with the predicate") {
    const auto shuffle = [](const std::string& mode, const std::string& b, const std::string& c) {
        return execute("shfl.sync." + mode + ".b32 %r10|%p10, %r1, " + b + ", " + c + ", -1;", numbered());
    };
    const auto up = shuffle("up", "3", "0"), down = shuffle("down", "3", "31"), bfly = shuffle("bfly", "5", "31"),
               idx = shuffle("idx", "7", "31"), segmented = shuffle("down", "3", "0x181f"),
               some = shuffle("idx", "%r2", "31");
    for (u32 lane = 0; lane < 32; ++lane) {
        CHECK(up[lane].narrow == (lane >= 3 ? lane - 3 : lane));
        CHECK(up[lane].p == (lane >= 3));
        CHECK(down[lane].narrow == (lane + 3 < 32 ? lane + 3 : lane));
        CHECK(down[lane].p == (lane + 3 < 32));
        CHECK(bfly[lane].narrow == (lane ^ 5));
        CHECK(idx[lane].narrow == 7);
        CHECK(segmented[lane].narrow == (lane % 8 + 3 < 8 ? lane + 3 : lane));
        CHECK(some[lane].narrow == lane / 8);
    }
}

TEST_CASE("collectives wait for lanes that took another way") {
    const auto out =
        execute("@%p1 bra ODD; nanosleep.u32 20; ODD: shfl.sync.bfly.b32 %r10, %r1, 1, 31, -1;", numbered());
    for (u32 lane = 0; lane < 32; ++lane)
        CHECK(out[lane].narrow == (lane ^ 1));
    const auto half =
        execute("mov.u32 %r10, 99; @!%p1 bra END; shfl.sync.idx.b32 %r10, %r1, 1, 31, 0xaaaaaaaa; END:", numbered());
    CHECK(half[5].narrow == 1);
    CHECK(half[4].narrow == 99);
}

TEST_CASE("vote, match, redux, elect and activemask agree among the lanes") {
    const auto ballot = execute("vote.sync.ballot.b32 %r10, %p1, -1; vote.sync.ballot.b32 %r11, !%p1, -1;", numbered());
    CHECK(ballot[0].narrow == 0xaaaaaaaa);
    CHECK(ballot[9].second == 0x55555555);
    const auto votes = execute("vote.sync.all.pred %p10, %p1, -1; vote.sync.any.pred %p11, %p1, -1;", numbered());
    CHECK_FALSE(votes[0].p);
    CHECK(votes[0].q);
    CHECK(execute("setp.eq.u32 %p5, 0, 0; vote.sync.uni.pred %p10, %p5, -1;", numbered())[3].p);
    const auto any = execute("match.any.sync.b32 %r10, %r2, -1;", numbered());
    CHECK(any[9].narrow == 0x0000ff00);
    const auto all = execute("match.all.sync.b64 %r10|%p10, %rd2, -1;", numbered());
    CHECK(all[9].narrow == 0);
    CHECK_FALSE(all[9].p);
    const auto same = execute("mov.u64 %rd5, 4; match.all.sync.b64 %r10|%p10, %rd5, -1;", numbered(20));
    CHECK(same[9].narrow == 0xfffff);
    CHECK(same[9].p);
    const auto redux = [](const std::string& op) {
        return execute("redux.sync." + op + " %r10, %r3, -1;", numbered())[7].narrow;
    };
    CHECK(redux("add.u32") == 3 * 31 * 16);
    CHECK(redux("min.s32") == 0);
    CHECK(redux("max.u32") == 93);
    CHECK(redux("and.b32") == 0);
    CHECK(redux("or.b32") == 127);
    u32 parity = 0;
    for (u32 i = 0; i < 32; ++i)
        parity ^= 3 * i;
    CHECK(redux("xor.b32") == parity);
    const auto elected =
        execute("@%p1 bra END; elect.sync %r10|%p10, 0x55555555; END: elect.sync _|%p11, -1;", numbered());
    CHECK(elected[0].p);
    CHECK_FALSE(elected[2].p);
    CHECK(elected[0].q);
    CHECK_FALSE(elected[1].q);
    CHECK(execute("@%p1 bra END; activemask.b32 %r10; END:", numbered())[2].narrow == 0x55555555);
}

TEST_CASE("groups of a partition vote, reduce and shuffle by themselves, together or one after the other") {
    const std::string members = "match.any.sync.b32 %r9, %r2, -1; "; // the four groups of eight
    for (const char* arrive : {"", "@%p1 bra MEET; nanosleep.u32 9; MEET: "}) {
        const auto out = execute(members + arrive +
                                     "redux.sync.max.u32 %r10, %r3, %r9; vote.sync.ballot.b32 %r11, %p1, %r9; "
                                     "elect.sync _|%p10, %r9;",
                                 numbered());
        const auto moved = execute(members + arrive +
                                       "shfl.sync.bfly.b32 %r10, %r1, 1, 31, %r9; "
                                       "match.all.sync.b32 %r11|%p10, %r2, %r9;",
                                   numbered());
        for (u32 lane = 0; lane < 32; ++lane) {
            const u32 group = lane / 8;
            CHECK(out[lane].narrow == 3 * (8 * group + 7));
            CHECK(out[lane].second == 0xaau << 8 * group);
            CHECK(out[lane].p == (lane % 8 == 0));
            CHECK(moved[lane].narrow == (lane ^ 1));
            CHECK(moved[lane].second == 0xffu << 8 * group);
            CHECK(moved[lane].p);
        }
    }
}

TEST_CASE("bar.warp.sync lets lanes meet at different places") {
    const auto out =
        execute("mov.u32 %r5, shared; mad.lo.u32 %r6, %r40, 4, %r5; xor.b32 %r7, %r40, 1; mad.lo.u32 %r7, %r7, 4, %r5;"
                "st.shared.u32 [%r6], %r1; @%p1 bra ODD; bar.warp.sync -1; bra END; ODD: bar.warp.sync -1; END: "
                "ld.shared.u32 %r10, [%r7];",
                numbered());
    for (u32 lane = 0; lane < 32; ++lane)
        CHECK(out[lane].narrow == (lane ^ 1));
}

TEST_CASE("block barriers: all threads, some of them, arrivals, reductions") {
    const std::string mine =
        "mov.u32 %r5, shared; mad.lo.u32 %r6, %r40, 4, %r5; sub.u32 %r7, 127, %r40; mad.lo.u32 %r7, %r7, 4, %r5;";
    for (const char* barrier :
         {"bar.sync 0;", "barrier.sync 0;", "barrier.cta.sync.aligned 3, 128;", "bar.cta.sync 1, 128;"}) {
        const auto out = execute(mine + "st.shared.u32 [%r6], %r1;" + barrier + "ld.shared.u32 %r10, [%r7];",
                                 numbered(128), {}, 128);
        for (u32 thread = 0; thread < 128; ++thread)
            CHECK(out[thread].narrow == 127 - thread);
    }
    // Producers arrive, consumers wait.
    const auto split = execute(
        mine + "setp.lt.u32 %p5, %r40, 64; @%p5 bra PRODUCE; bar.sync 2, 128; ld.shared.u32 %r10, [%r7]; bra END;"
               "PRODUCE: st.shared.u32 [%r6], %r1; bar.arrive 2, 128; END:",
        numbered(128), {}, 128);
    for (u32 thread = 64; thread < 128; ++thread)
        CHECK(split[thread].narrow == 127 - thread);
    const auto reduced =
        execute("bar.red.popc.u32 %r10, 0, %p1; bar.red.and.pred %p10, 0, %p1; bar.red.or.pred %p11, 0, %p1;",
                numbered(96), {}, 96);
    CHECK(reduced[50].narrow == 48);
    CHECK_FALSE(reduced[50].p);
    CHECK(reduced[50].q);
    CHECK(execute("barrier.red.popc.aligned.u32 %r10, 0, 96, !%p1;", numbered(96), {}, 96)[95].narrow == 48);
    // Warps that are not full, and warps that have left.
    CHECK(execute("bar.sync 0; mov.u32 %r10, 1;", numbered(40), {}, 40)[39].narrow == 1);
    CHECK(execute("bar.sync 1, 64; mov.u32 %r10, 1;", numbered(40), {}, 40)[39].narrow == 1);
    CHECK(
        execute("setp.lt.u32 %p5, %r40, 32; @%p5 bra END; bar.sync 0; END: mov.u32 %r10, 1;", numbered(64), {}, 64)[63]
            .narrow == 1);
    CHECK(failure("bar.sync 16;").find("0 to 15") != std::string::npos);
    CHECK(failure("bar.sync 1, 33;").find("multiple of 32") != std::string::npos);
}

TEST_CASE("a barrier that half a warp misses is reported, not passed") {
    CHECK(failure("bar.sync 1, 64;").find("no thread can make progress") != std::string::npos);
}

TEST_CASE("barrier.cluster holds back the blocks of a cluster, and distributed shared memory is there behind it") {
    sim::machine::LaunchConfig shape;
    shape.cluster = {4, 1, 1};
    const auto out =
        execute("mov.u32 %r5, shared; st.shared.u32 [shared], %r41; barrier.cluster.arrive.release.aligned; "
                "barrier.cluster.wait.acquire.aligned;"
                "mov.u32 %r6, %cluster_ctarank; xor.b32 %r6, %r6, 3; mapa.shared::cluster.u32 %r7, %r5, %r6;"
                "ld.shared::cluster.u32 %r10, [%r7]; barrier.cluster.arrive.relaxed; barrier.cluster.wait;",
                std::vector<In>(8 * 32), {}, 32, shape);
    for (u32 block = 0; block < 8; ++block)
        CHECK(out[block * 32].narrow == (block ^ 3));
    // A block that has ended counts as arrived.
    const auto early = execute("mov.u32 %r6, %cluster_ctarank; setp.eq.u32 %p5, %r6, 0; mov.u32 %r10, 1; @%p5 bra END; "
                               "barrier.cluster.arrive; barrier.cluster.wait; END:",
                               std::vector<In>(4 * 32), {}, 32, shape);
    CHECK(early[127].narrow == 1);
}

} // namespace warp_test
