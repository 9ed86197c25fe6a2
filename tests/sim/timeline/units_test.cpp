// The memory pipe, the caches, the tensor cores, and the parameters of all of them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "base/problem.h"
#include "sim/timeline/bound.h"
#include "sim/timeline/facts.h"
#include "sim/timeline/pipe.h"
#include "sim/timeline/reuse.h"

#include "script.h"

using namespace sim::timeline;
using enum Event::Kind;

TEST_CASE("cp.async of all warps are taken in one after the other, in four cycles or one for each line") {
    Script script(2);
    for (const uint32_t lines : {1u, 4u, 32u})
        for (uint32_t warp = 0; warp < 2; ++warp)
            script.recording.events[script.copy(warp, 0, 16)].lines = lines;
    const Timeline timeline = script.replay();
    CHECK(timeline.spans == Spans{compute(0, 0, 48), compute(1, 0, 80)});
    CHECK(timeline.flights.back() == Flight{5, 80, 181, 0, none});
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
    CHECK(pipe.request(0, {1600}).landed == 100 + 100);
    CHECK(pipe.request(400, {1600}).over == 500);
    CHECK(pipe.request(800, {1600}).landed == 900 + 150);
}

TEST_CASE("what has been loaded before comes from the cache: it takes its latency and no turn at the pipe") {
    Script script(1);
    script.add(load, 0, 0, 1600);
    script.add(store, 0, 0);
    script.add(load, 0, 0, 0);
    script.add(store, 0, 0);
    CHECK(script.replay().spans == Spans{loads(0, 0, 200), loads(0, 200, 210)});
}

TEST_CASE("what other loads of the launch bring comes from the L2 cache, at its rate and after its latency") {
    Script script(1);
    const uint32_t memory = script.copy(0, 0, 1600);
    script.wait(0, 0, {memory});
    const uint32_t cached = script.copy(0, 0, 1600);
    script.recording.events[cached].cached = 1600;
    script.wait(0, 0, {cached});
    const uint32_t half = script.copy(0, 0, 1600);
    script.recording.events[half].cached = 800;
    script.wait(0, 0, {half});
    Model quick = model;
    quick.l2_bytes_per_cycle = 64;
    const Timeline timeline = replay(script.recording, quick);
    CHECK(timeline.flights.at(0).landed == 25 + 100); // the pipe's other 75 cycles run beside the latency
    CHECK(timeline.flights.at(1).landed == 125 + 25 + 40);
    CHECK(timeline.flights.at(2).landed == 190 + 25 + (100 + 40) / 2);
}

TEST_CASE("the more lines a request has, the later comes the last one") {
    Model late = model;
    late.tile_load_50 = late.tile_load_75 = late.tile_load_95 = 100 + 8192 / 16 + 60;
    CHECK(spread(late, 0.5, 0) == 60);
    CHECK(flight(late, 0.5, 0, 128) == 128 / 16 + 100);
    CHECK(flight(late, 0.5, 0, 1024) == 1024 / 16 + 100 + 30); // eight lines: half of the logarithm of 64
    CHECK(flight(late, 0.5, 0, 8192) == 8192 / 16 + 100 + 60);
    late.tile_copy_50 = 100 + 8192 / 16 + 160;
    CHECK(spread(late, 0.5, 0.5) == 160);
    CHECK(spread(late, 0.5, 0.25) == 110);
}

TEST_CASE("of n loads of the same bytes, each finds all but an n-th in the cache") {
    Reuse reuse;
    Script script(1);
    const uint32_t once = script.copy(0, 0, 64), thrice = script.copy(0, 0, 128), half = script.copy(0, 0, 64);
    const auto loaded = [&](uint64_t address, uint64_t bytes, uint32_t event) {
        reuse.piece(address, bytes / 2); // in two pieces of one instruction
        reuse.piece(address + bytes / 2, bytes - bytes / 2);
        reuse.loaded(event);
    };
    loaded(0, 64, once);
    for (const uint32_t event : {none, thrice, none})
        loaded(1024, 128, event);
    loaded(2048, 64, half);
    loaded(2048 + 32, 1, none);
    reuse.settle(script.recording.events);
    CHECK(script.recording.events[once].cached == 0);
    CHECK(script.recording.events[thrice].cached == 85);
    CHECK(script.recording.events[half].cached == 16);
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

TEST_CASE("a bulk store is complete when the L2 cache has taken it, and does not wait for its turn at the pipe") {
    Script script(1);
    script.recording.copies.push_back({"bulk store", 0, 0, 0, 16000});
    const uint32_t stored = script.add(store_copy, 0, 0, 16000, 0);
    script.wait(0, 0, {stored}, true);
    const uint32_t loaded = script.copy(0, 0, 1600);
    script.recording.events[loaded].what = 1;
    script.wait(0, 0, {loaded});
    const Timeline timeline = script.replay();
    CHECK(timeline.flights.at(0).landed == 60);
    CHECK(timeline.flights.at(1).landed == 1000 + 100); // its turn comes behind the store's
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

TEST_CASE("wgmma has its own rate, and what a warpgroup issues between two waits is drawn as one") {
    Script script(1);
    script.recording.operations.push_back({"wgmma", 0, 0, 0, 0});
    std::vector<uint32_t> events;
    for (int i = 0; i < 2; ++i) {
        events.push_back(script.add(Event::Kind::product, 0, 10, 0, 0));
        script.recording.events[events.back()].cells = 64 * 256;
    }
    script.wait(0, 30, events);
    const Timeline timeline = script.replay();
    const uint64_t done = 10 + 2 * (64 * 256 / model.wgmma_cells) + model.wgmma_latency;
    CHECK(timeline.operations == std::vector<Flight>{{0, 10, done, done, 0}});
    CHECK(timeline.tensor_busy == 2 * 64 * 256 / model.wgmma_cells);
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
