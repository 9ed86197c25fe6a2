#include <doctest/doctest.h>

#include "sim/timeline/bound.h"
#include "sim/timeline/facts.h"

#include "script.h"

using namespace sim::timeline;
using enum Event::Kind;

TEST_CASE("a wait for what never happens lasts to the end") {
    Script script(2);
    script.add(Event::Kind::end, 1, 90);
    script.wait(0, 10, {});
    CHECK(script.replay().cycles == 100);
    script.recording.joins.front().never = script.recording.hangs = true;
    const Timeline timeline = script.replay();
    CHECK(timeline.cycles > 100);
    CHECK(timeline.spans.at(1).kind == Span::Kind::wait);
    CHECK(timeline.spans.at(1).end == timeline.cycles);
}

TEST_CASE("a copy flies while its warp computes; the wait takes what is left") {
    Script script(1);
    const uint32_t copied = script.copy(0, 10, 160); // turn at the pipe: 10 cycles
    script.wait(0, 50, {copied});
    script.add(end, 0, 5);
    const Timeline timeline = script.replay();
    CHECK(timeline.spans == Spans{compute(0, 0, 60), waits(0, 60, 120, 0), compute(0, 120, 125)});
    CHECK(timeline.flights == std::vector<Flight>{{0, 10, 120, 120, 0}});
    CHECK(timeline.cycles == 125);
    const Facts numbers = facts(script.recording, timeline);
    CHECK(numbers.in_flight == 110);
    CHECK(numbers.hidden == 50);
    CHECK(numbers.waiting == 60);
}

TEST_CASE("awaited where it is issued, the same copy is hidden behind nothing") {
    Script script(1);
    const uint32_t copied = script.copy(0, 10, 160);
    script.wait(0, 50, {copied});
    script.add(end, 0, 5);
    const Timeline timeline = script.replay(Copies::awaited);
    CHECK(timeline.cycles == 175);
    CHECK(timeline.spans == Spans{compute(0, 0, 10), loads(0, 10, 120), compute(0, 120, 175)});
    CHECK(facts(script.recording, timeline).hidden == 0);
}

TEST_CASE("two copies wait for their turns at the pipe, not for each other's latency") {
    Script script(1);
    const uint32_t first = script.copy(0, 0, 1600), second = script.copy(0, 0, 1600);
    script.wait(0, 0, {first});
    script.wait(0, 0, {second});
    const Timeline timeline = script.replay();
    CHECK(timeline.flights == std::vector<Flight>{{0, 0, 200, 200, 0}, {1, 0, 300, 300, 0}});
}

TEST_CASE("branches that are taken take longer, and the warps of a scheduler do not wait for each other's") {
    Script script(2);
    for (uint32_t warp = 0; warp < 2; ++warp)
        script.recording.events[script.add(end, warp, 10)].branches = 3;
    Model slow = model;
    slow.branch = 7;
    CHECK(sim::timeline::replay(script.recording, slow).spans == Spans{compute(0, 0, 31), compute(1, 0, 41)});
}

TEST_CASE("a barrier lets everybody go 20 cycles after the last arrival") {
    Script script(2);
    const uint32_t early = script.add(arrive, 0, 10), late = script.add(arrive, 1, 40);
    script.wait(0, 0, {early, late});
    script.wait(1, 0, {early, late});
    const Timeline timeline =
        sim::timeline::replay(script.recording, {.schedulers = 2, .issue_interval = 1, .barrier = 20, .quantum = 1000});
    CHECK(timeline.spans == Spans{compute(0, 0, 10), waits(0, 10, 60, 0), compute(1, 0, 40), waits(1, 40, 60, 1)});
}

TEST_CASE("a barrier counts one warp after the other, and so does an mbarrier; lanes that arrive together count once") {
    const auto ends = [](Join::At at) {
        Script script(3);
        std::vector<uint32_t> arrivals;
        for (const uint32_t warp : {0, 1, 2})
            arrivals.push_back(script.add(arrive, warp, 10));
        for (const uint32_t warp : {0, 1, 2}) {
            script.wait(warp, 0, arrivals);
            script.recording.joins.back().at = at;
        }
        return sim::timeline::replay(script.recording, {.schedulers = 3,
                                                        .issue_interval = 1,
                                                        .mbarrier = 50,
                                                        .mbarrier_arrival = 3,
                                                        .barrier_arrival = 4,
                                                        .barrier = 20,
                                                        .quantum = 1000})
            .cycles;
    };
    CHECK(ends(Join::At::barrier) == 10 + 3 * 4 + 20);
    CHECK(ends(Join::At::mbarrier) == 10 + 3 * 3 + 50);
}

TEST_CASE("the answer to a wait takes its time even if the mbarrier's phase is complete; that of wait_group does not") {
    const auto spans = [](Join::At at) {
        Script script(1);
        const uint32_t copied = script.copy(0, 0, 16);
        script.wait(0, 500, {copied});
        script.recording.joins.back().at = at;
        return sim::timeline::replay(script.recording, {.issue_interval = 1, .latency = 100, .mbarrier = 30}).spans;
    };
    CHECK(spans(Join::At::mbarrier) == Spans{compute(0, 0, 500), waits(0, 500, 530, 0)});
    CHECK(spans(Join::At::copies) == Spans{compute(0, 0, 500)});
}

TEST_CASE("loads from shared memory share one latency, which is part of computing, and only what needs them waits") {
    constexpr Model quick{.issue_interval = 1, .latency = 100, .shared = 30, .bytes_per_cycle = 16};
    Script needed(1), unneeded(1);
    for (Script* script : {&needed, &unneeded}) {
        script->add(load_shared, 0, 1);
        script->add(load_shared, 0, 1);
    }
    needed.add(store, 0, 8);
    needed.add(end, 0, 0);
    unneeded.copy(0, 8, 16);
    CHECK(replay(needed.recording, quick).spans == Spans{compute(0, 0, 32)});
    CHECK(replay(unneeded.recording, quick).flights.at(0).issued == 10);
}

TEST_CASE("a warp's instructions take as long as their longest chain, while another warp issues its own") {
    Script script(2);
    for (const uint32_t warp : {0, 1})
        script.recording.events[script.add(end, warp, 10)].steps = 10;
    const auto cycles = [&](uint32_t dependent) {
        return sim::timeline::replay(script.recording,
                                     {.schedulers = 1, .issue_interval = 1, .dependent = dependent, .quantum = 1000})
            .cycles;
    };
    CHECK(cycles(4) == 10 + 40);
    CHECK(cycles(0) == 20);
}

TEST_CASE(
    "shared memory serves a warp's conflicting accesses one after the other, and those of other warps behind them") {
    const auto cycles = [](uint32_t wavefronts) {
        Script script(2);
        for (const uint32_t warp : {0, 1}) {
            script.recording.events[script.add(load_shared, warp, 1)].wavefronts = wavefronts;
            script.add(store, warp, 0);
        }
        return sim::timeline::replay(script.recording, {.schedulers = 2, .issue_interval = 1, .shared = 30}).cycles;
    };
    CHECK(cycles(32) - cycles(1) == 2 * 32 - 2);
}

TEST_CASE("a barrier of the cluster takes longer than one of the block") {
    const auto cycles = [](Join::At at) {
        Script script(1);
        const uint32_t arrival = script.add(arrive, 0, 10);
        script.wait(0, 0, {arrival});
        script.recording.joins.back().at = at;
        return sim::timeline::replay(script.recording, {.issue_interval = 1, .barrier = 20, .cluster_barrier = 200})
            .cycles;
    };
    CHECK(cycles(Join::At::cluster) == 10 + 200);
    CHECK(cycles(Join::At::barrier) == 10 + 2 + 20);
}

TEST_CASE("warps of one scheduler take turns") {
    Script script(2);
    script.add(end, 0, 10);
    script.add(end, 1, 10);
    CHECK(script.replay().cycles == 20);
    CHECK(sim::timeline::replay(script.recording, {.schedulers = 2, .issue_interval = 1}).cycles == 10);
}

TEST_CASE("loads of a batch share one latency; the store that needs them waits") {
    Script script(1);
    script.add(load, 0, 1, 32);
    script.add(load, 0, 1, 32);
    script.add(store, 0, 8);
    script.add(end, 0, 0);
    CHECK(script.replay().spans == Spans{compute(0, 0, 10), loads(0, 10, 105)});
}

TEST_CASE("what one warp stores after a load does not hold up another warp's load") {
    Script script(2);
    for (const uint32_t warp : {0, 1}) {
        script.add(load, warp, 1, 160);
        script.add(store, warp, 1);
        script.add(load, warp, 1, 160);
        script.add(store, warp, 1);
        script.add(end, warp, 0);
    }
    // Two latencies, one after the other; the second warp comes a turn at the pipe later.
    CHECK(script.replay().cycles <= 2 * (100 + 10) + 10 + 10);
}

TEST_CASE("a wait for nothing takes no time, and an empty recording none at all") {
    Script script(1);
    script.wait(0, 7, {});
    CHECK(script.replay().spans == Spans{compute(0, 0, 7)});
    CHECK(replay({}).cycles == 0);
}

TEST_CASE("a copy without a wait is never observed") {
    Script script(1);
    script.copy(0, 0, 16);
    script.add(end, 0, 0);
    CHECK(script.replay().flights.at(0).observed == 0);
    CHECK(script.replay().cycles == 101);
}

TEST_CASE("groups with one number are one bar; bars that overlap have lanes of their own") {
    Recording recording;
    recording.warps = 2;
    recording.copies = {
        {"cp.async group", 0, 0, none, 64}, {"cp.async group", 0, 1, none, 64}, {"cp.async group", 1, 0, none, 64}};
    Timeline timeline;
    timeline.flights = {{0, 0, 100, 120, 0}, {1, 10, 110, 115, 1}, {2, 50, 150, 0, none}};
    const auto all = bars(recording, timeline);
    REQUIRE(all.size() == 2);
    CHECK(all[0].name == "cp.async group 0");
    CHECK(all[0].bytes == 128);
    CHECK(all[0].warps == 2);
    CHECK(all[0].landed == 110);
    CHECK(all[0].observed == 115);
    CHECK(all[0].observer == 1);
    CHECK(all[0].lane == 0);
    CHECK(all[1].lane == 1);
}

TEST_CASE("what limits a block: a pipe that is always busy, copies that are issued too late, or instructions") {
    using Limit = Bound::Limit;
    const auto ring = [](uint32_t stages, uint32_t bytes, uint32_t work) {
        Script script(1);
        std::vector<uint32_t> copies;
        for (uint32_t i = 0; i < stages; ++i)
            copies.push_back(script.copy(0, 1, bytes));
        for (uint32_t i = 0; i < 20; ++i) {
            script.wait(0, 1, {copies[i]});
            copies.push_back(script.copy(0, work, bytes));
        }
        return bound(script.recording, model, script.replay());
    };
    CHECK(ring(8, 1600, 5).limit == Limit::bandwidth);
    CHECK(ring(1, 160, 5).limit == Limit::latency);
    CHECK(ring(1, 160, 5).in_flight < ring(1, 160, 5).needed);
    CHECK(ring(8, 160, 500).limit == Limit::issue);
    Script once(1);
    once.wait(0, 0, {once.copy(0, 1, 160)});
    CHECK(bound(once.recording, model, once.replay()).limit == Limit::fill);
}

TEST_CASE("a copy that is awaited where it is issued is observed there, even if other threads wait for it later") {
    Script script(1);
    const uint32_t copied = script.copy(0, 10, 160);
    script.wait(0, 500, {copied});
    const Timeline timeline = script.replay(Copies::awaited);
    CHECK(timeline.flights == std::vector<Flight>{{0, 10, 120, 120, 0}});
}
