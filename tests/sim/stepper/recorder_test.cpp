// Known programs, step by step.
#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "recorded.h"

namespace {

constexpr uint32_t tile = 1040; // behind what the system reserves

constexpr const char* staged = R"(
    cp.async.ca.shared.global [%r2], [%rd2], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r2+256], [%rd2+256], 4;
    cp.async.commit_group;
    cp.async.wait_group 1;
    bar.sync 0;
    ld.shared.u32 %r4, [%r6];
    st.global.u32 [%rd2], %r4;
    cp.async.wait_group 0;
)";

std::string barrier_before_the_wait() {
    std::string wrong = staged;
    const std::string barrier = "bar.sync 0;\n    ";
    wrong.erase(wrong.find(barrier), barrier.size());
    wrong.insert(wrong.find("cp.async.wait_group 1;"), barrier);
    return wrong;
}

} // namespace

TEST_CASE("the steps of two stages of cp.async, in the order of execution") {
    const Recorded made = record(staged);
    REQUIRE(bool(made.outcome));
    CHECK(made.findings.empty());
    CHECK(made.kinds() ==
          "copy:0 commit:0 copy:0 commit:0 wait_group:0 arrive:0 copy:1 commit:1 copy:1 commit:1 "
          "wait_group:1 arrive:1 complete read:1 write:1 wait_group:1 read:0 write:0 wait_group:0 exit");
    const Step& first = made.only(Kind::copy);
    CHECK(first.bytes == 128);
    CHECK(first.number == 1);
    CHECK(first.ranges == std::vector<Range>{{tile, tile + 128}});
    CHECK(made.only(Kind::copy, 1).ranges == std::vector<Range>{{tile + 256, tile + 384}});
    const Step& wait = made.only(Kind::wait_group);
    CHECK(wait.number == 1);
    CHECK(wait.upto == std::vector<std::pair<uint32_t, uint32_t>>{{0xffffffff, 1}});
    CHECK(made.only(Kind::arrive).first == 64);
    CHECK(made.only(Kind::complete).threads.size() == 2);
    CHECK(made.only(Kind::read).ranges == std::vector<Range>{{tile, tile + 128}});
    const auto part = std::ranges::find(made.recording.parts, "tile", &NamedMemory::name);
    REQUIRE(part != made.recording.parts.end());
    CHECK(part->begin == tile);
    CHECK(part->bytes == 512);
}

TEST_CASE("what a step writes comes from the steps that put its operands into memory") {
    const Recorded made = record(staged);
    CHECK(made.only(Kind::write).from == std::vector<uint32_t>{0}); // warp 1 writes what warp 0 has copied
    CHECK(made.only(Kind::write, 1).from == std::vector<uint32_t>{6});
    const Recorded through = record(R"(
    st.shared.u32 [%r2], %r1;
    ld.shared.u32 %r4, [%r2];
    add.u32 %r4, %r4, 1;
    st.shared.u32 [%r2+256], %r4;
    ld.shared.u32 %r5, [%r2+256];
    ld.shared.u32 %r7, [%r2];
    mov.u32 %r7, 0;
    xor.b32 %r5, %r5, %r7;
    st.global.u32 [%rd2], %r5;
)",
                                    {}, 1, 32);
    CHECK(through.kinds() == "write:0 read:0 write:0 read:0 write:0 exit");
    CHECK(through.only(Kind::write).from.empty());
    CHECK(through.only(Kind::write, 1).from == std::vector<uint32_t>{0});
    CHECK(through.only(Kind::write, 2).from == std::vector<uint32_t>{2}); // not from the load that is not used
}

TEST_CASE("a warp at a barrier is shown there until the barrier completes") {
    const Recorded made = record(staged);
    FragmentState::Waits waits = FragmentState::Waits::no;
    std::string history;
    for (const Step& step : made.recording.steps) {
        for (const auto& warp : step.warps)
            if (warp.warp == 0)
                waits = warp.fragments.empty() ? FragmentState::Waits::no : warp.fragments[0].waits;
        history += waits == FragmentState::Waits::barrier ? 'b' : '.';
    }
    CHECK(history == ".....bbbbbbbb.......");
}

TEST_CASE("an mbarrier's pending arrivals, bytes and phase after each step") {
    const Recorded made = record(R"(
        setp.ne.u32 %p1, %r1, 0;
        mov.u32 %r5, full;
        @%p1 bra READY;
        mbarrier.init.shared.b64 [%r5], 1;
    READY:
        bar.sync 0;
        @%p1 bra WAIT;
        mbarrier.arrive.expect_tx.shared.b64 %rd5, [%r5], 256;
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r5];
    WAIT:
        mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
        @!%p2 bra WAIT;
        ld.shared.u32 %r4, [%r6];
        st.global.u32 [%rd2], %r4;
    )");
    REQUIRE(bool(made.outcome));
    CHECK(made.findings.empty());
    REQUIRE(made.recording.barriers.size() == 1);
    CHECK(made.recording.barriers[0].name == "full");
    std::string history;
    for (const Step& step : made.recording.steps)
        for (const BarrierState& state : step.barriers)
            history += fmt::format("{} {}/{}+{} phase {}; ", kinds[size_t(step.kind)], state.pending, state.expected,
                                   state.tx, state.phase);
    CHECK(history == "init 1/1+0 phase 0; m_arrive 0/1+256 phase 0; landed 1/1+0 phase 1; ");
    CHECK(made.only(Kind::bulk_load).what == 0);
    CHECK(made.only(Kind::landed).ranges == std::vector<Range>{{tile, tile + 256}});
    CHECK(made.only(Kind::m_pass).number == 1);
    CHECK_FALSE(made.of(Kind::blocks).empty());
}

TEST_CASE("a finding is at its two accesses") {
    const Recorded made = record(barrier_before_the_wait());
    REQUIRE_FALSE(made.findings.empty());
    const Moments found = moments(made.recording, made.findings[0]);
    REQUIRE(found.step != none);
    REQUIRE(found.other != none);
    CHECK(found.other < found.step);
    const Step &access = made.recording.steps[found.step], &other = made.recording.steps[found.other];
    CHECK(access.kind != other.kind);
    CHECK(access.warp != other.warp);
    const auto json = nlohmann::json::parse(sim::stepper::json(made.recording, {"test", made.findings, {}}));
    CHECK(json["findings"][0]["step"] == found.step);
    CHECK(json["findings"][0]["other"] == found.other);
    CHECK(json["steps"].size() == made.recording.steps.size());
}

TEST_CASE("of too much, the beginning is kept, and what is missing is counted") {
    const Recorded all = record(staged), cut = record(staged, {.most_steps = 5});
    CHECK(cut.recording.steps.size() == 5);
    CHECK(cut.recording.left_out == all.recording.steps.size() - 5);
}

TEST_CASE("the window begins where it is asked to, with everything as it is by then") {
    const Recorded all = record(staged), later = record(staged, {.first = 12});
    REQUIRE(all.recording.steps.size() > 13);
    CHECK(later.recording.skipped == 12);
    REQUIRE(later.recording.steps.size() == all.recording.steps.size() - 12);
    for (size_t i = 0; i < later.recording.steps.size(); ++i)
        CHECK(later.recording.steps[i].kind == all.recording.steps[i + 12].kind);
    CHECK(later.recording.steps[0].warps.size() == 2);
    CHECK(record(staged, {.first = 1000}).recording.steps.size() == 1); // the last one
}

TEST_CASE("a finding is found in a later window, too") {
    const std::string wrong = barrier_before_the_wait();
    const Recorded all = record(wrong), later = record(wrong, {.first = 4});
    REQUIRE_FALSE(all.findings.empty());
    const Moments found = moments(all.recording, all.findings[0]);
    REQUIRE(found.step >= 4);
    CHECK(moments(later.recording, later.findings[0]).step == found.step - 4);
    CHECK(moments(record(wrong, {.first = found.step + 1}).recording, all.findings[0]).step == none);
}

TEST_CASE("a tensor map's fields, and who changes, releases and acquires it") {
    const Recorded made = record(R"(
        mov.u32 %r7, map;
        mad.lo.u32 %r8, %r1, 4, %r7;
        st.shared.u32 [%r8], 0;
        bar.warp.sync 0xffffffff;
        setp.ne.u32 %p2, %r1, 0;
        @%p2 bra JOIN;
        tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r7], 0, 16;
JOIN:
        bar.warp.sync 0xffffffff;
        tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r7], 128;
        fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;
    )",
                                 {}, 1, 32);
    REQUIRE_MESSAGE(bool(made.outcome), made.outcome.message);
    using Where = Map::Where;
    REQUIRE(made.recording.maps.size() == 2);
    CHECK(made.recording.maps[0].where == Where::shared);
    CHECK(made.recording.maps[0].name == "map");
    CHECK(made.recording.maps[1].where == Where::global);
    const auto box = std::ranges::find(map_fields, "box_dim") - std::begin(map_fields);
    const Step &replaced = made.only(Kind::write, 1), &copied = made.only(Kind::map_copy);
    CHECK(replaced.map == 0);
    REQUIRE(replaced.maps.size() == 1);
    CHECK(replaced.maps[0].fields[size_t(box)] == "16");
    CHECK(copied.what == 0);
    CHECK(copied.map == 1);
    REQUIRE(copied.maps.size() == 1);
    CHECK(copied.maps[0].map == 1);
    CHECK(copied.maps[0].fields == replaced.maps[0].fields);
    CHECK(made.only(Kind::map_fence).map == 1);
    CHECK(made.only(Kind::map_fence).strong == 'a');
}

TEST_CASE("the block that was asked for, of the first launch that has it") {
    const Recorded second = record(staged, {.block = 1}, 2);
    CHECK(second.recording.blocks == std::vector<uint64_t>{1});
    CHECK(record(staged, {.block = 7}, 2).recording.empty());
}

TEST_CASE("accesses in a row at one line are one step") {
    const Recorded made = record(R"(
        st.shared.u32 [%r2], %r1;
        st.shared.u32 [%r2+256], %r1;
    )");
    const Step& write = made.only(Kind::write);
    CHECK(write.times == 2);
    CHECK(write.ranges == std::vector<Range>{{tile, tile + 128}, {tile + 256, tile + 384}});
}

TEST_CASE("a deadlock is at the step where the device found it, and needs no edge") {
    const Recorded made = record(R"(
        setp.ne.u32 %p1, %r1, 0;
        mov.u32 %r5, full;
        @%p1 bra READY;
        mbarrier.init.shared.b64 [%r5], 2;
    READY:
        bar.sync 0;
        @!%p1 mbarrier.arrive.shared.b64 %rd5, [%r5];
    WAIT:
        mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;
        @!%p2 bra WAIT;
        mbarrier.arrive.shared.b64 %rd5, [%r5];
    )");
    REQUIRE_FALSE(bool(made.outcome));
    REQUIRE(made.findings.size() == 1);
    const Moments found = moments(made.recording, made.findings[0]);
    REQUIRE(found.step != none);
    CHECK(made.recording.steps[found.step].kind == Kind::misuse);
    CHECK(found.other == none);
    CHECK(made.recording.steps[found.step].ahead.size() >= 2);
}

TEST_CASE("polls that find nothing new are one step, and so are atomic operations that change nothing") {
    const Recorded made = record(R"(
        setp.ne.u32 %p1, %r1, 0;
        @%p1 bra DONE;
        ld.relaxed.gpu.global.u32 %r4, [%rd1];
        mov.u32 %r5, 0;
    AGAIN:
        atom.relaxed.gpu.global.add.u32 %r4, [%rd1], 0;
        add.u32 %r5, %r5, 1;
        setp.lt.u32 %p2, %r5, 5;
        @%p2 bra AGAIN;
        atom.relaxed.gpu.global.add.u32 %r4, [%rd1], 1;
    DONE:
    )",
                                 {}, 1, 32);
    REQUIRE(bool(made.outcome));
    CHECK(made.kinds() == "read:0 atomic:0 atomic:0 exit");
    CHECK(made.only(Kind::atomic).times == 5);
    CHECK(made.only(Kind::atomic).first == 1);
    CHECK(made.only(Kind::atomic, 1).first == 0);
}

TEST_CASE("two blocks of different clusters are recorded together") {
    const Recorded made = record(staged, {.block = 0, .also = 1}, 2);
    CHECK(made.recording.blocks == std::vector<uint64_t>{0, 1});
    CHECK(std::ranges::count(made.recording.steps, Kind::exit, &Step::kind) == 2);
}
