#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/problem.h"
#include "sim/timeline/bound.h"
#include "sim/timeline/facts.h"
#include "sim/timeline/pipe.h"

using namespace sim::timeline;
using enum Event::Kind;

namespace {

// One instruction a cycle and scheduler, a latency of 100 at any load, of 10 from the cache, 16 bytes per cycle,
// barriers of 20 cycles.
constexpr Model model{.schedulers = 1,
                      .issue_interval = 1,
                      .branch = 0,
                      .copy_issue = 4,
                      .latency = 100,
                      .latency_load_50 = 100,
                      .latency_load_75 = 100,
                      .latency_load_95 = 100,
                      .latency_copy_50 = 100,
                      .latency_copy_75 = 100,
                      .latency_copy_95 = 100,
                      .cached = 10,
                      .bytes_per_cycle = 16,
                      .barrier = 20,
                      .quantum = 1000};

// Writing down what a block does.
struct Script {
    Recording recording;
    explicit Script(uint32_t warps) {
        recording.warps = warps;
        recording.places = {{"kernel.cu", 10}};
    }
    uint32_t add(Event::Kind kind, uint32_t warp, uint32_t instructions, uint32_t bytes = 0, uint32_t what = none) {
        recording.events.push_back({kind, warp, instructions, bytes, 0, what});
        return uint32_t(recording.events.size() - 1);
    }
    uint32_t copy(uint32_t warp, uint32_t instructions, uint32_t bytes) {
        const auto number = uint32_t(recording.copies.size());
        recording.copies.push_back({"bulk copy", number, warp, 0, bytes});
        return add(Event::Kind::copy, warp, instructions, bytes, number);
    }
    void wait(uint32_t warp, uint32_t instructions, std::vector<uint32_t> events, bool reads = false) {
        recording.joins.push_back({"join", none, reads, std::move(events)});
        add(Event::Kind::wait, warp, instructions, 0, uint32_t(recording.joins.size() - 1));
    }
    Timeline replay(Copies copies = Copies::asynchronous) const {
        return sim::timeline::replay(recording, model, copies);
    }
};

Span compute(uint32_t warp, uint64_t begin, uint64_t end) {
    return {Span::Kind::compute, warp, begin, end, 0, none};
}
Span waits(uint32_t warp, uint64_t begin, uint64_t end, uint32_t join) {
    return {Span::Kind::wait, warp, begin, end, 0, join};
}
Span loads(uint32_t warp, uint64_t begin, uint64_t end) {
    return {Span::Kind::load, warp, begin, end, 0, none};
}
using Spans = std::vector<Span>;

} // namespace

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

TEST_CASE("cp.async of all warps are taken in one after the other, in four cycles or one for each line") {
    Script script(2);
    for (const uint32_t lines : {1u, 4u, 32u})
        for (uint32_t warp = 0; warp < 2; ++warp)
            script.recording.events[script.copy(warp, 0, 16)].lines = lines;
    const Timeline timeline = script.replay();
    CHECK(timeline.spans == Spans{compute(0, 0, 48), compute(1, 0, 80)});
    CHECK(timeline.flights.back() == Flight{5, 80, 181, 0, none});
}

TEST_CASE("branches that are taken take longer, and the warps of a scheduler do not wait for each other's") {
    Script script(2);
    for (uint32_t warp = 0; warp < 2; ++warp)
        script.recording.events[script.add(end, warp, 10)].branches = 3;
    Model slow = model;
    slow.branch = 7;
    CHECK(sim::timeline::replay(script.recording, slow).spans == Spans{compute(0, 0, 31), compute(1, 0, 41)});
}

TEST_CASE("the latency grows with the load, and more with what is stored than with what is loaded") {
    Model busy = model;
    busy.latency_load_50 = 200;
    busy.latency_load_75 = 300;
    busy.latency_load_95 = 500;
    busy.latency_copy_50 = 300;
    busy.latency_copy_75 = 500;
    busy.latency_copy_95 = 900;
    CHECK(sim::timeline::latency(busy, 0, 0) == 100);
    CHECK(sim::timeline::latency(busy, 0.25, 0) == 150);
    CHECK(sim::timeline::latency(busy, 0.5, 0) == 200);
    CHECK(sim::timeline::latency(busy, 1, 0) == 500);
    CHECK(sim::timeline::latency(busy, 0.5, 0.25) == 250);
    CHECK(sim::timeline::latency(busy, 0.5, 0.5) == 300);
    CHECK(sim::timeline::latency(busy, 0.5, 0.75) == 300);
    CHECK(sim::timeline::latency(busy, 1, 0.5) == 900);
    // The pipe has been busy for 100 of 400 cycles when the second request comes, which does not count itself.
    sim::timeline::Pipe pipe(busy);
    CHECK(pipe.request(0, 1600, false).landed == 100 + 100);
    CHECK(pipe.request(400, 1600, false).over == 500);
    CHECK(pipe.request(800, 1600, false).landed == 900 + 150);
}

TEST_CASE("what has been loaded before comes from the cache: it takes its latency and no turn at the pipe") {
    Script script(1);
    script.add(load, 0, 0, 1600);
    script.add(store, 0, 0);
    script.add(load, 0, 0, 0);
    script.add(store, 0, 0);
    CHECK(script.replay().spans == Spans{loads(0, 0, 200), loads(0, 200, 210)});
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

TEST_CASE("a block barrier counts one warp after the other; arrivals on an mbarrier are not counted so") {
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
                                                        .barrier_arrival = 4,
                                                        .barrier = 20,
                                                        .quantum = 1000})
            .cycles;
    };
    CHECK(ends(Join::At::barrier) == 10 + 3 * 4 + 20);
    CHECK(ends(Join::At::mbarrier) == 10 + 50);
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

TEST_CASE("a model is read with what it names; the rest is the default") {
    const Model read = read_model({{"latency", 700}, {"bytes_per_cycle", 16}}, "m.json");
    CHECK(read == Model{.latency = 700, .bytes_per_cycle = 16});
    CHECK(read_model(to_json(Model{}), "m.json") == Model{});
}

TEST_CASE("a name that is no parameter, and a value that is none, are named") {
    const auto said = [](const nlohmann::json& json) {
        try {
            read_model(json, "m.json");
        } catch (const base::Problem& problem) {
            return problem.what;
        }
        return std::string();
    };
    CHECK(said({{"latencies", 700}}) == "m.json: the model has no parameter 'latencies'");
    CHECK(said({{"latency", -1}}) == "m.json: 'latency' must be a whole number from 0 to 1000000");
    CHECK(said({{"latency", 1.5}}) == "m.json: 'latency' must be a whole number from 0 to 1000000");
    CHECK(said({{"bytes_per_cycle", 0}}) == "m.json: 'bytes_per_cycle' must be a whole number from 1 to 1000000");
    CHECK(said(nlohmann::json::array()) == "m.json: a model is an object of parameters");
    CHECK(said({{"latency", 0}}).empty());
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

TEST_CASE("a wait for the source of a bulk store is shorter than one for its end") {
    Script script(1);
    script.recording.copies.push_back({"bulk store", 0, 0, 0, 160});
    const uint32_t stored = script.add(store_copy, 0, 0, 160, 0);
    script.wait(0, 0, {stored}, true);
    script.wait(0, 0, {stored});
    CHECK(script.replay().spans == Spans{waits(0, 0, 10, 0), waits(0, 10, 110, 1)});
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

TEST_CASE("tcgen05 operations take turns at the tensor core, and a wait for their commit takes what is left") {
    Script script(1);
    const auto issue = [&](uint32_t cells) {
        const auto number = uint32_t(script.recording.operations.size());
        script.recording.operations.push_back({"mma", number, 0, 0, 0});
        const uint32_t event = script.add(Event::Kind::tensor, 0, 10, 0, number);
        script.recording.events[event].cells = cells;
        return event;
    };
    const uint32_t first = issue(64 * 256), second = issue(64 * 256);
    script.wait(0, 30, {first, second});
    const Timeline timeline = script.replay();
    CHECK(timeline.operations == std::vector<Flight>{{0, 10, 174, 238, 0}, {1, 20, 238, 238, 0}});
    CHECK(timeline.flights.empty());
    CHECK(timeline.tensor_busy == 128);
    CHECK(tensor_bars(script.recording, timeline).size() == 2);
    CHECK(bars(script.recording, timeline).empty());
    CHECK(script.replay(Copies::awaited).operations == timeline.operations); // only copies are awaited
    CHECK(facts(script.recording, timeline).in_flight == 0);
}

TEST_CASE("a busy tensor core limits a kernel, an idle one does not") {
    for (const uint32_t cells : {256u, 256u * 4096}) {
        Script script(1);
        script.recording.operations.push_back({"mma", 0, 0, 0, 0});
        const uint32_t event = script.add(Event::Kind::tensor, 0, 10, 0, 0);
        script.recording.events[event].cells = cells;
        script.wait(0, 0, {event});
        const Bound limit = bound(script.recording, model, script.replay());
        CHECK((limit.limit == Bound::Limit::tensor) == (cells > 256));
    }
}
