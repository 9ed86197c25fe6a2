// What chunks say against tables that hold a number for each lane.
#include <array>
#include <random>

#include <doctest/doctest.h>

#include "sim/ordering/chunk.h"

using namespace sim::hazards;

namespace {

constexpr uint32_t warps = 3;
constexpr auto planes = size_t(Plane::count);
constexpr auto all = ~0u;

struct Both {
    Chunk chunk{warps};
    std::array<std::array<Lanes, warps>, planes> table{};

    void raise(Plane plane, uint32_t warp, uint32_t mask, const Lanes& values) {
        chunk.raise(plane, warp, mask, all, values);
        raise_table(plane, warp, mask, values);
    }
    void raise(Plane plane, uint32_t warp, uint32_t mask, uint32_t value) {
        chunk.raise(plane, warp, mask, all, value);
        Lanes values;
        values.fill(value);
        raise_table(plane, warp, mask, values);
    }
    void raise_table(Plane plane, uint32_t warp, uint32_t mask, const Lanes& values) {
        Lanes& lanes = table[size_t(plane)][warp];
        for (size_t lane = 0; lane < 32; ++lane)
            if (mask >> lane & 1)
                lanes[lane] = std::max(lanes[lane], values[lane]);
    }
    void lift(const Both& from, Plane plane, Plane to) {
        for (uint32_t warp = 0; warp < warps; ++warp)
            raise_table(to, warp, all, from.table[size_t(plane)][warp]);
    }
    void join(const Both& other) {
        chunk.join(other.chunk);
        for (size_t plane = 0; plane < planes; ++plane)
            lift(other, Plane(plane), Plane(plane));
    }
    void fence(bool shared, bool global) {
        chunk.fence(shared, global);
        if (shared) {
            lift(*this, Plane::generic, Plane::fenced_shared);
            lift(*this, Plane::copies, Plane::copies_fenced);
        }
        if (global)
            lift(*this, Plane::generic, Plane::fenced_global);
    }
    bool covers(const Both& other) const {
        for (size_t plane = 0; plane < planes; ++plane)
            for (uint32_t warp = 0; warp < warps; ++warp)
                for (size_t lane = 0; lane < 32; ++lane)
                    if (table[plane][warp][lane] < other.table[plane][warp][lane])
                        return false;
        return true;
    }
    void check() const {
        uint32_t different = 0, below = 0;
        bool details = false;
        for (size_t plane = 0; plane < planes; ++plane)
            for (uint32_t warp = 0; warp < warps; ++warp) {
                const Lanes& lanes = table[plane][warp];
                for (uint32_t lane = 0; lane < 32; ++lane) {
                    different += chunk.at(Plane(plane), warp, lane) != lanes[lane];
                    below += lanes[lane] < chunk.at_least(Plane(plane))[warp];
                    details = details || lanes[lane] != lanes[0];
                }
            }
        REQUIRE(different == 0);
        REQUIRE(below == 0);
        REQUIRE(chunk.has_details() == details);
    }
};

} // namespace

TEST_CASE("a chunk knows of each lane what a table knows") {
    std::mt19937 random(5);
    const auto upto = [&](uint32_t most) { return uint32_t(random() % (most + 1)); };
    const auto lanes = [&] { // one, some, or all
        const uint32_t kind = upto(3);
        return kind == 0 ? all : kind == 1 ? uint32_t(random()) : 1u << upto(kind == 2 ? 31 : 2);
    };
    for (int round = 0; round < 300; ++round) {
        std::array<Both, 4> chunks;
        for (int step = 0; step < 60; ++step) {
            Both &one = chunks[upto(3)], &other = chunks[upto(3)];
            const auto plane = Plane(upto(1) ? 0 : upto(planes - 1));
            switch (upto(9)) {
            case 0:
                one.fence(upto(1), upto(1));
                break;
            case 1:
                one.join(other);
                break;
            case 2:
                one = other;
                break;
            case 3:
                one.chunk.project(other.chunk, Plane::generic, Plane::seen);
                one.lift(other, Plane::generic, Plane::seen);
                break;
            case 4: {
                Lanes values;
                for (auto& value : values)
                    value = upto(4);
                one.raise(plane, upto(warps - 1), lanes(), values);
                break;
            }
            default:
                one.raise(plane, upto(warps - 1), lanes(), upto(12));
            }
            one.check();
            REQUIRE(one.chunk.compare(other.chunk) == (one.covers(other)   ? Chunk::Order::covers
                                                       : other.covers(one) ? Chunk::Order::covered
                                                                           : Chunk::Order::neither));
        }
    }
}

TEST_CASE("a chunk that knows of one phase more is not covered") {
    Chunk one(1), other(1);
    one.raise_phase(7, 2);
    other.raise_phase(7, 1);
    other.raise_phase(3, 1);
    CHECK(one.compare(other) == Chunk::Order::neither);
    one.join(other);
    CHECK(one.phases(7) == 2);
    CHECK(one.phases(3) == 1);
    CHECK(one.phases(5) == 0);
    CHECK(one.compare(other) == Chunk::Order::covers);
    CHECK(other.compare(one) == Chunk::Order::covered);
}
