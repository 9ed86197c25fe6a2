// The protocol check's model, on records that are written by hand.
#include <doctest/doctest.h>

#include <algorithm>

#include "sim/protocol/explorer.h"
#include "sim/protocol/proof.h"

using namespace sim::protocol;
using What = Fault::What;

namespace {

/// A run of warps of 32 threads in one block. Each call is an operation, in the order of the run.
class Run {
  public:
    explicit Run(uint32_t warps) { record_.blocks = {{0, warps * 32}}; }

    uint32_t mbarrier(uint32_t count) {
        const uint32_t object = add_object(Object::Type::mbarrier);
        add(0, {.kind = Kind::init, .object = object, .amount = count}, 1);
        return object;
    }
    uint32_t named() { return add_object(Object::Type::named); }
    void arrive(uint32_t warp, uint32_t object, uint32_t phase, int64_t bytes = 0) {
        add(warp, {.kind = Kind::arrive, .object = object, .amount = 1, .bytes = bytes, .phase = phase}, 1);
    }
    /// For the phase before `phase`.
    void wait(uint32_t warp, uint32_t object, uint32_t phase) {
        add(warp, {.kind = Kind::wait, .parity = (phase & 1) == 0, .object = object, .phase = phase}, 1);
    }
    void expect(uint32_t warp, uint32_t object, uint32_t phase, int64_t bytes) {
        add(warp, {.kind = Kind::expect, .object = object, .bytes = bytes, .phase = phase}, 1);
    }
    uint32_t issue(uint32_t warp, uint32_t object, int64_t bytes) {
        return add(warp, {.kind = Kind::issue, .object = object, .bytes = bytes}, 1);
    }
    void land(uint32_t issued, uint32_t phase) {
        Operation one = record_.operations[issued];
        one.kind = Kind::land;
        one.phase = phase;
        one.issue = issued;
        record_.operations.push_back(one);
    }
    void sync(uint32_t warp, uint32_t object, uint32_t threads) {
        add(warp, {.kind = Kind::block_barrier, .waits = true, .object = object, .amount = threads, .threads = 32});
    }
    void signal(uint32_t warp, uint32_t object, uint32_t threads) {
        add(warp, {.kind = Kind::block_barrier, .object = object, .amount = threads, .threads = 32});
    }
    /// setmaxnreg in a block whose threads were launched with 168.
    void registers(uint32_t warp, uint32_t each) {
        add(warp, {.kind = Kind::registers, .waits = each > 168, .object = none, .amount = each, .threads = 168});
    }
    /// Another reason than barriers: a flag in memory.
    void flag(uint32_t from, uint32_t to) {
        const uint32_t earlier = add(from, {.kind = Kind::strong, .object = none});
        const uint32_t later = add(to, {.kind = Kind::strong, .reads = true, .object = none});
        record_.ordered.emplace_back(later, earlier);
    }

    Explored explored() const {
        const Actors actors(record_);
        const Proof proof = prove(record_, actors);
        CHECK(proof.understood);
        if (proof.regular() && !proof.registers)
            return {};
        return explore(record_, actors, proof.irregular, {});
    }
    bool regular() const { return prove(record_, Actors(record_)).regular(); }

  private:
    uint32_t add_object(Object::Type type) {
        record_.objects.push_back({type, 0, uint32_t(record_.objects.size()), ""});
        return uint32_t(record_.objects.size() - 1);
    }
    uint32_t add(uint32_t warp, const sim::events::BarrierOperation& what, uint32_t mask = ~0u) {
        Operation one{what};
        one.warp = warp;
        one.mask = mask;
        record_.operations.push_back(one);
        return uint32_t(record_.operations.size() - 1);
    }
    Record record_;
};

/// A ring of one stage: warp 0 fills, the others take, and those before `released_by` give it back.
Run ring(uint32_t takers, uint32_t released_by, uint32_t laps) {
    Run run(takers + 1);
    const uint32_t full = run.mbarrier(1), empty = run.mbarrier(released_by);
    const uint32_t all = run.named();
    for (uint32_t warp = 0; warp <= takers; ++warp)
        run.sync(warp, all, (takers + 1) * 32);
    for (uint32_t lap = 0; lap < laps; ++lap) {
        run.wait(0, empty, lap);
        run.arrive(0, full, lap, 64);
        const uint32_t copy = run.issue(0, full, 64);
        run.land(copy, lap);
        for (uint32_t warp = 1; warp <= takers; ++warp)
            run.wait(warp, full, lap + 1);
        for (uint32_t warp = 1; warp <= released_by; ++warp)
            run.arrive(warp, empty, lap);
    }
    return run;
}

} // namespace

TEST_CASE("a ring is regular, however long") {
    CHECK(ring(3, 3, 1000).regular());
}

TEST_CASE("a taker that nobody waits for misses a phase") {
    const Run run = ring(3, 2, 4);
    CHECK(!run.regular());
    const Explored explored = run.explored();
    CHECK(explored.fault.what == What::missed);
    CHECK(explored.fault.object == 0);
}

TEST_CASE("a flag in memory may keep the order") {
    Run run(2);
    const uint32_t turn = run.mbarrier(1), all = run.named();
    run.sync(0, all, 64);
    run.sync(1, all, 64);
    run.arrive(0, turn, 0);
    run.wait(1, turn, 1);
    SUBCASE("it does") {
        run.flag(1, 0);
        run.arrive(0, turn, 1);
        run.wait(1, turn, 2);
        CHECK(run.explored().fault.what == What::nothing);
    }
    SUBCASE("it is missing") {
        run.arrive(0, turn, 1);
        run.wait(1, turn, 2);
        CHECK(run.explored().fault.what == What::missed);
    }
}

TEST_CASE("named barriers: who meets whom") {
    Run run(4);
    const uint32_t pair = run.named();
    for (uint32_t round = 0; round < 2; ++round)
        for (uint32_t warp = 0; warp < 4; ++warp)
            run.sync(warp, pair, 64);
    const Explored explored = run.explored();
    CHECK(explored.fault.what == What::deadlock);
    CHECK(explored.stuck.size() == 1);
}

TEST_CASE("named barriers for everyone") {
    Run run(4);
    const uint32_t all = run.named();
    for (uint32_t round = 0; round < 3; ++round)
        for (uint32_t warp = 0; warp < 4; ++warp)
            run.sync(warp, all, 128);
    CHECK(run.regular());
}

TEST_CASE("two groups take turns") {
    const bool starts_itself = false;
    Run run(2);
    const uint32_t first = run.named(), second = run.named();
    run.signal(1, first, 64);
    for (uint32_t round = 0; round < 5; ++round) {
        run.sync(0, first, 64);
        run.signal(0, second, 64);
        run.sync(1, second, 64);
        if (round < 4 || starts_itself)
            run.signal(1, first, 64);
    }
    CHECK(run.regular());
}

TEST_CASE("bytes that are announced after the last arrival") {
    Run run(2);
    const uint32_t full = run.mbarrier(1), all = run.named();
    run.sync(0, all, 64);
    run.sync(1, all, 64);
    run.expect(0, full, 0, 64);
    const uint32_t copy = run.issue(0, full, 64);
    SUBCASE("by another thread") {
        run.arrive(1, full, 0);
        run.land(copy, 0);
        run.wait(1, full, 1);
        CHECK(!run.regular());
        CHECK(run.explored().fault.what != What::nothing);
    }
    SUBCASE("by the same thread") {
        run.arrive(0, full, 0);
        run.land(copy, 0);
        run.wait(1, full, 1);
        CHECK(run.regular());
    }
}

TEST_CASE("bytes that a thread completes itself, after its arrival") {
    Run run(2);
    const uint32_t full = run.mbarrier(1), empty = run.mbarrier(1), all = run.named();
    run.sync(0, all, 64);
    run.sync(1, all, 64);
    for (uint32_t lap = 0; lap < 3; ++lap) {
        run.wait(0, empty, lap);
        run.arrive(0, full, lap, 64);
        run.expect(0, full, lap, -64);
        run.wait(1, full, lap + 1);
        run.arrive(1, empty, lap);
    }
    CHECK(run.regular());
}

TEST_CASE("registers are released before they are taken") {
    Run run(2);
    const uint32_t all = run.named();
    SUBCASE("in time") {
        run.registers(1, 232);
        run.registers(0, 104);
        run.sync(0, all, 64);
        run.sync(1, all, 64);
        CHECK(run.explored().fault.what == What::nothing);
    }
    SUBCASE("too few") {
        run.registers(1, 232);
        run.registers(0, 112);
        run.sync(0, all, 64);
        run.sync(1, all, 64);
        CHECK(run.explored().fault.what == What::registers);
    }
    SUBCASE("too late") {
        run.registers(1, 232);
        run.sync(0, all, 64);
        run.sync(1, all, 64);
        run.registers(0, 104);
        CHECK(run.explored().fault.what == What::registers);
    }
}

TEST_CASE("actors that do the same are one kind") {
    // Without this, 8 warps that meet in pairs have millions of states.
    Run run(8);
    const uint32_t pair = run.named();
    for (uint32_t warp = 0; warp < 8; ++warp)
        run.sync(warp, pair, 64);
    const Explored explored = run.explored();
    CHECK(explored.fault.what == What::nothing);
    CHECK(explored.all);
    CHECK(explored.states < 200);
}
