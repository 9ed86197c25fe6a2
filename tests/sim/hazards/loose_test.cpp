// Loose rows against half words that are looked at one by one, in the order of the lanes.
#include <random>

#include <doctest/doctest.h>

#include "sim/ordering/barrier_clocks.h"
#include "sim/ordering/ordering.h"
#include "sim/shadow/loose.h"
#include "sim/shadow/shadow.h"

namespace loose_test {

using namespace sim::hazards;

constexpr uint32_t warps = 4, rows = 3, halves_of_all = rows * Loose::row_halves;

/// What the cells say of a half word.
struct Half {
    Epoch write = 0;
    uint32_t write_pc = 0;
    Reader read{};
    bool operator==(const Half&) const = default;
};

struct Both {
    std::mt19937 random;
    Ordering ordering{};
    std::array<WarpClock, warps> clocks;
    BlockBarriers barriers;
    uint64_t block = 0;
    Loose loose{rows};
    std::array<Cell, rows> cells{};
    std::array<Half, halves_of_all> halves{};
    int yes = 0, no = 0;

    uint32_t upto(uint32_t most) { return uint32_t(random() % (most + 1)); }

    explicit Both(uint32_t seed) : random(seed) {
        ordering.operations.begin(1, {}, 2, "kernel");
        block = ordering.operations.base();
        for (uint32_t warp = 0; warp < warps; ++warp)
            clocks[warp] = WarpClock(block, warp, ~0u, warps, std::make_shared<Clock>());
        for (uint32_t row = 0; row < rows; ++row)
            begin(row);
    }

    /// Some warp has written a whole row, or parts of it, and perhaps read it, in this tick or an earlier one.
    void begin(uint32_t row) {
        Cell& cell = cells[row];
        cell = {};
        Spans spans;
        spans.clear();
        const uint32_t by = upto(warps - 1);
        const uint32_t earlier = std::min(upto(2), clocks[by].tick - 1);
        const Epoch e = make_epoch(EpochKind::plain, block, by, 0, clocks[by].tick - earlier);
        const uint32_t pc = upto(1000);
        const auto step = Step(upto(1));
        const bool whole = upto(1), read = upto(1);
        if (whole) {
            cell.wrote(e, pc, step);
            if (read)
                cell.read_by({e, 1, pc + 1}, step);
        } else {
            cell.split = cell.in_spans = 1;
            spans.wrote({e, 0xffff, pc, 0});
            if (read)
                spans.read({e, 0xff0, pc + 1, 3});
        }
        for (uint32_t i = 0; i < Loose::row_halves; ++i) {
            Half& half = halves[row * Loose::row_halves + i];
            const uint32_t word = i / 2, lane = whole ? word >> step : word;
            half = {};
            if (whole || word < 16)
                half = {e | uint64_t{lane} << lane_shift, pc, {}};
            if (read && (whole || (word >= 4 && word < 12)))
                half.read = {e, 1u << (whole ? lane : lane + 3), pc + 1};
        }
        REQUIRE(loose.enter(row, cell, whole ? nullptr : &spans, block));
    }

    bool before(const WarpClock& warp, uint32_t lane, const Reader& readers) const {
        for (uint32_t other = 0; other < 32; ++other)
            if ((readers.mask >> other & 1) &&
                !ordering.ordered(warp, lane, readers.epoch | uint64_t{other} << lane_shift, Proxy::generic, true))
                return false;
        return true;
    }

    void access() {
        WarpClock& warp = clocks[upto(warps - 1)];
        const bool writes = upto(1);
        const uint32_t count = 1u << upto(3), pc = 2000 + upto(1000), mask = upto(2) ? ~0u : uint32_t(random()) | 1;
        const uint32_t places = halves_of_all / count;
        // Mostly each warp has places of its own, and each lane in turn.
        const uint32_t pattern = upto(7), first = upto(places - 1), stride = 2 * upto(8) + 1;
        std::array<uint32_t, 32> at;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            uint32_t place = (first + stride * lane) % places;
            if (pattern == 0)
                place = first;
            else if (pattern == 1)
                place = upto(places - 1);
            else if (pattern < 6 && count <= 2)
                place = (lane + 32 * warp.warp) % places;
            at[lane] = mask >> lane & 1 ? place * count : loose.nowhere() + lane * Loose::most_halves;
        }
        const uint32_t wrong = loose.access(loose.begin(warp, pc), writes, at.data(), mask, count);
        ++(wrong ? no : yes);
        if (wrong)
            return;
        bool one_place = mask & (mask - 1);
        for (uint32_t lane = 0; lane < 32; ++lane)
            one_place = one_place && (!(mask >> lane & 1) || at[lane] == at[size_t(std::countr_zero(mask))]);
        const Epoch me = make_epoch(EpochKind::plain, block, warp.warp, 0, warp.tick);
        bool fine = true;
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t i = 0; (mask >> lane & 1) && i < count; ++i) {
                Half& half = halves[at[lane] + i];
                fine = fine && (half.write || writes) && ordering.ordered(warp, lane, half.write);
                if (writes) {
                    fine = fine && before(warp, lane, half.read);
                    half = {me | uint64_t{lane} << lane_shift, pc, {}};
                } else if (half.read.epoch == me) {
                    half.read = {me, half.read.mask | 1u << lane, one_place ? half.read.pc : pc};
                } else {
                    fine = fine && before(warp, lane, half.read);
                    half.read = {me, 1u << lane, pc};
                }
            }
        REQUIRE(fine);
    }

    void meet() {
        for (WarpClock& warp : clocks)
            barriers.arrive(warp, ~0u, 0, 1);
        std::array<WarpClock*, warps> all;
        std::array<uint32_t, warps> gone{};
        for (uint32_t warp = 0; warp < warps; ++warp)
            all[warp] = &clocks[warp];
        barriers.complete(0, all, gone, true);
        for (WarpClock& warp : clocks)
            barriers.release(warp, ~0u, 0);
    }

    static Half half_of(const Cell& cell) { return {cell.write, cell.write_pc, cell.read ? cell.reader() : Reader{}}; }

    void compare(uint32_t row) {
        for (uint32_t word = 0; word < row_words; ++word) {
            const Half &low = halves[row * 64 + 2 * word], &high = halves[row * 64 + 2 * word + 1];
            const Epoch last = loose.last_write(row * row_words + word, block);
            REQUIRE((last == low.write || (last == 0 && low != high)));
        }
        SplitPool pool;
        std::array<Cell, row_quads> quads{};
        loose.to_quads(row, block, quads.data(), pool);
        for (uint32_t i = 0; i < Loose::row_halves; ++i) {
            REQUIRE(bool(quads[i / 8].split));
            const Cell& word = pool.parts(quads[i / 8])[i / 2 % 4];
            if (!word.split) {
                REQUIRE(half_of(word) == halves[row * Loose::row_halves + i]);
                continue;
            }
            for (uint32_t byte = 0; byte < 2; ++byte)
                REQUIRE(half_of(pool.parts(word)[i % 2 * 2 + byte]) == halves[row * Loose::row_halves + i]);
        }
        CHECK(!loose.has(row));
    }
};

TEST_CASE("a loose row accepts only what is fine, and remembers what cells would") {
    int yes = 0, no = 0;
    for (uint32_t seed = 1; seed < 400; ++seed) {
        Both at(seed);
        for (int i = 0; i < 60; ++i) {
            at.access();
            if (at.upto(5) == 0)
                at.meet();
            else if (at.upto(5) == 0) {
                WarpClock& warp = at.clocks[at.upto(warps - 1)];
                warp.acquire(~0u, warp.released(~0u), true);
            }
            if (at.upto(60) == 0) {
                const uint32_t row = at.upto(rows - 1);
                if (at.loose.may_enter(row)) {
                    at.compare(row);
                    if (!at.loose.may_enter(row))
                        break;
                    at.begin(row);
                }
            }
        }
        for (uint32_t row = 0; row < rows; ++row)
            if (at.loose.has(row))
                at.compare(row);
        yes += at.yes;
        no += at.no;
    }
    CHECK(yes > no / 4);
    CHECK(no > yes / 20);
}

TEST_CASE("accesses that nothing remembers are forgotten, and the others are not") {
    Both at(1);
    for (int i = 0; i < 100000; ++i) {
        at.access();
        if (at.upto(5) == 0)
            at.meet();
    }
    for (uint32_t row = 0; row < rows; ++row)
        at.compare(row);
}

TEST_CASE("a row that becomes cells again and again stays in cells; others' and stronger accesses do not fit") {
    Loose loose(rows);
    Cell quads[row_quads];
    SplitPool pool;
    for (int i = 0; i < 3; ++i) {
        Cell cell;
        REQUIRE(loose.enter(0, cell, nullptr, 7));
        loose.to_quads(0, 7, quads, pool);
    }
    Cell cell, strong, others;
    CHECK(!loose.enter(0, cell, nullptr, 7));
    strong.wrote(make_epoch(EpochKind::strong, 7, 0, 0, 1), 1);
    CHECK(!loose.enter(1, strong, nullptr, 7));
    others.wrote(make_epoch(EpochKind::plain, 8, 0, 0, 1), 1);
    CHECK(!loose.enter(1, others, nullptr, 7));
    CHECK(loose.enter(1, cell, nullptr, 7));
}

} // namespace loose_test
