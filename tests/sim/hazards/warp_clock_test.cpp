// What a warp knows after its lanes have synchronised, kept apart from its clock, against the same as a clock.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "sim/ordering/barrier_clocks.h"

namespace warp_clock_test {

using namespace sim::hazards;

constexpr uint32_t warps = 3, blocks = 2, barriers = 2;

/// Warps that synchronise, arrive and wait.
struct World {
    bool apart;
    std::vector<WarpClock> clocks;
    std::array<ClockBuilder, barriers> arriving;
    std::array<ClockRef, barriers> completed;

    explicit World(bool kept_apart) : apart(kept_apart) {
        const ClockRef nothing = ClockBuilder().take();
        for (uint32_t i = 0; i < blocks * warps; ++i)
            clocks.emplace_back(1 + i / warps, i % warps, ~0u, warps, nothing);
    }
    void step(uint32_t what, uint32_t warp, uint32_t barrier, uint32_t mask) {
        WarpClock& clock = clocks[warp];
        switch (what) {
        case 0:
        case 1:
        case 2:
            if (apart)
                return clock.sync(mask);
            return clock.acquire(mask, clock.released(mask), true);
        case 3:
        case 4:
            return clock.release_into(arriving[barrier], mask);
        case 5:
            completed[barrier] = arriving[barrier].snapshot();
            return;
        case 6:
        case 7:
            return clock.acquire(mask, completed[barrier]);
        default:
            return clock.proxy_fence(mask, true, false);
        }
    }
};

void compare(const WarpClock& one, const WarpClock& other) {
    REQUIRE(one.tick == other.tick);
    REQUIRE(one.one_clock() == other.one_clock());
    REQUIRE(one.has_details() == other.has_details());
    REQUIRE(one.least_known() == other.least_known());
    REQUIRE(one.most_known() == other.most_known());
    REQUIRE(std::equal(one.known_to_all(), one.known_to_all() + warps, other.known_to_all()));
    for (uint64_t block = 1; block <= blocks; ++block)
        for (const uint32_t lane : {0u, 1u, 31u}) {
            REQUIRE(one.knows_of(block) == other.knows_of(block));
            const Chunk *mine = one.clock(lane)->chunk(block), *its = other.clock(lane)->chunk(block);
            REQUIRE(!mine == !its);
            bool alike = true;
            for (const Plane plane : {Plane::generic, Plane::fenced_shared})
                for (uint32_t of = 0; of < warps * 32; ++of) {
                    const uint32_t known = its ? its->at(plane, of / 32, of % 32) : 0;
                    alike = alike && one.at(lane, block, plane, of / 32, of % 32) == known &&
                            (mine ? mine->at(plane, of / 32, of % 32) : 0) == known;
                }
            REQUIRE(alike);
        }
}

TEST_CASE("what lanes know of each other is the same apart from their clock and in it") {
    std::mt19937 random(1);
    const auto upto = [&](uint32_t most) { return uint32_t(random() % (most + 1)); };
    for (int round = 0; round < 60; ++round) {
        World apart(true), together(false);
        const bool fences = upto(1), parts = upto(1);
        for (int step = 0; step < 40; ++step) {
            const uint32_t what = upto(fences ? 8 : 7), warp = upto(blocks * warps - 1), barrier = upto(barriers - 1);
            uint32_t mask = ~0u;
            if ((what > 2 && what < 5) || parts)
                mask = upto(3) ? upto(1) ? 1 : 2 : upto(1) ? ~0u : uint32_t(random()) | 1;
            apart.step(what, warp, barrier, mask);
            together.step(what, warp, barrier, mask);
            compare(apart.clocks[warp], together.clocks[warp]);
        }
    }
}

} // namespace warp_clock_test
