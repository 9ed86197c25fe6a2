// What the shortcuts say of the last writes of cells, against the one sentence that says it for a lane.
#include <random>

#include <doctest/doctest.h>

#include "sim/shadow/last_write.h"

namespace last_write_test {

using namespace sim::hazards;

constexpr uint32_t warps = 3, warp_number = 1, most_ticks = 6;
constexpr uint64_t blocks = 3; // of each of two launches

/// A warp of the second launch, with what its lanes know, and bulk operations of all kinds.
struct Setting {
    std::mt19937& random;
    Ordering ordering{};
    WarpClock warp{};
    uint64_t bulk_operations = 0;

    uint32_t upto(uint32_t most) { return uint32_t(random() % (most + 1)); }
    uint64_t any_block() { return 1 + upto(2 * blocks - 1); }

    explicit Setting(std::mt19937& numbers) : random(numbers) {
        sim::events::Order order;
        if (upto(1))
            order.unordered = {1};
        ordering.operations.begin(1, {}, blocks, "first");
        ordering.operations.begin(2, order, blocks, "second");
        warp = WarpClock(ordering.operations.base() + upto(blocks - 1), warp_number, ~0u, warps, clock(~0u));
        warp.tick = most_ticks + 1;
        for (uint32_t lane = 0; lane < 32; ++lane) { // at least what others can know of it
            warp.copies_done[lane] = most_ticks - upto(1);
            warp.copies_fenced[lane] = warp.fenced_shared[lane] = warp.fenced_global[lane] = most_ticks - 1 - upto(1);
            warp.bulk_read[lane] = warp.bulk_done[lane] = most_ticks - upto(1);
        }
        for (uint32_t i = upto(2); i-- > 0;) // all lanes, or some
            warp.acquire(upto(2) ? uint32_t(random()) | 1 : ~0u, clock(~0u));
        for (bulk_operations = 0; bulk_operations < 6; ++bulk_operations) {
            BulkOp op;
            op.block = any_block();
            op.warp = upto(warps - 1);
            op.lane = upto(31);
            op.by_barrier = upto(1);
            op.barrier_block = warp.block;
            op.phase = upto(2);
            op.landed = upto(3) > 0;
            op.index = 1 + upto(most_ticks - 1);
            op.reduction = upto(3) == 0;
            ordering.bulk.add(op);
        }
    }

    ClockRef clock(uint32_t mask) {
        ClockBuilder builder;
        for (uint64_t block = 1; block <= 2 * blocks; ++block) {
            Chunk& chunk = builder.own(block, warps);
            for (uint32_t of = 0; of < warps; ++of)
                for (const Plane plane : {Plane::generic, Plane::copies, Plane::fenced_shared, Plane::fenced_global,
                                          Plane::copies_fenced, Plane::bulk_done})
                    if (upto(2))
                        chunk.raise(plane, of, upto(3) ? mask : uint32_t(random()), ~0u, upto(most_ticks - 2));
            chunk.raise_phase(0, upto(2));
        }
        return builder.take();
    }

    Epoch write(uint32_t most_lane) {
        constexpr EpochKind kinds[] = {EpochKind::plain, EpochKind::plain, EpochKind::plain, EpochKind::strong,
                                       EpochKind::copy,  EpochKind::async, EpochKind::async, EpochKind::old,
                                       EpochKind::none,  EpochKind::host};
        const EpochKind kind = kinds[upto(std::size(kinds) - 1)];
        if (kind == EpochKind::async)
            return BulkOps::epoch(1 + upto(uint32_t(bulk_operations) - 1));
        if (kind == EpochKind::old || kind == EpochKind::none)
            return Epoch(kind) << kind_shift;
        if (kind == EpochKind::host)
            return make_epoch(kind, any_block(), 0, 0, 0);
        const uint64_t block = upto(1) ? warp.block : any_block();
        return make_epoch(kind, block, upto(warps - 1), upto(most_lane), 1 + upto(most_ticks - 1));
    }
    /// Written by lanes side by side.
    Cell cell(uint32_t words) {
        Cell result;
        const auto step = Step(upto(2));
        result.wrote(write(32 - std::max(words >> step, 1u)), 1, step);
        return result;
    }
    bool fine(uint32_t lane, Epoch w, const Later& later = {}) const {
        return last_write_is_fine(ordering, warp, lane, w, later);
    }
    /// The access of lanes side by side from `first` on to words that a cell stands for.
    bool all_fine(const Cell& cell, uint32_t words, uint32_t first, Step step) const {
        for (uint32_t word = 0; word < words; ++word)
            if (!fine(first + (word >> step), cell.part(word).write))
                return false;
        return true;
    }
    bool fine_for_all_lanes(Epoch w) const {
        for (uint32_t lane = 0; lane < 32; ++lane)
            if (!fine(lane, w))
                return false;
        return true;
    }
    uint64_t over() const { return ordering.operations.over(); }
};

/// How often a shortcut said yes, and how often it might have.
struct Count {
    int yes = 0, fine = 0, all = 0;
    void add(bool said, bool is) {
        yes += said;
        fine += is;
        ++all;
    }
    bool tried() const { return yes > all / 100 && fine < all - all / 20; }
};

constexpr int rounds = 2000, cells_each = 24;

TEST_CASE("the last write of a byte is judged alike with and without memory") {
    std::mt19937 random(1);
    Count count;
    for (int round = 0; round < rounds; ++round) {
        Setting at(random);
        const bool strong = at.upto(1);
        LastWrites last(at.ordering, at.warp, strong, at.over());
        for (int i = 0; i < cells_each; ++i) {
            const Epoch w = at.write(31);
            const uint32_t lane = at.upto(31);
            const bool said = last.is_fine(lane, w), is = at.fine(lane, w, {.strong = strong});
            REQUIRE(said == is);
            count.add(said, is);
        }
    }
    CHECK(count.tried());
}

TEST_CASE("what is known at once of all lanes holds for each") {
    std::mt19937 random(2);
    Count all, one;
    for (int round = 0; round < rounds; ++round) {
        Setting at(random);
        LastWrites last(at.ordering, at.warp, false, at.over());
        uint32_t ticks = ~0u;
        for (uint32_t warp = 0; warp < warps; ++warp)
            ticks = std::min(ticks, at.warp.known_to_all()[warp]);
        KnownToAll known = last.known(ticks, at.over());
        for (int i = 0; i < cells_each; ++i) {
            const Epoch w = at.write(31);
            const uint32_t lane = at.upto(31);
            const bool for_all = at.fine_for_all_lanes(w), for_one = at.fine(lane, w);
            REQUIRE((for_all || !last.at_once(w)));
            REQUIRE((for_all || !known.is_fine(w)));
            REQUIRE((for_one || !known.is_fine_for(w, known.me | uint64_t{lane} << lane_shift)));
            one.add(known.is_fine_for(w, known.me | uint64_t{lane} << lane_shift), for_one);
            const bool said = known.is_fine_like_the_last(w);
            REQUIRE((for_all || !said));
            all.add(said, for_all);
            last.is_fine(lane, w);
        }
        last.learn(known);
        const Epoch w = at.write(31);
        REQUIRE((at.fine_for_all_lanes(w) || !last.at_once(w)));
    }
    CHECK(all.tried());
    CHECK(one.tried());
}

TEST_CASE("a quad is fine if its words are, and a row or a span only if they are") {
    std::mt19937 random(3);
    Count quads, rows, rows_at_once, spans;
    for (int round = 0; round < rounds; ++round) {
        Setting at(random);
        LastWrites last(at.ordering, at.warp, false, at.over());
        for (int i = 0; i < cells_each; ++i) {
            const auto step = Step(at.upto(2));
            {
                const Cell quad = at.cell(quad_words);
                const uint32_t first = at.upto(32 - (quad_words >> step));
                const bool said = last.quad_is_fine(quad, first, step), is = at.all_fine(quad, quad_words, first, step);
                REQUIRE(said == is);
                quads.add(said, is);
            }
            {
                const Cell row = at.cell(row_words);
                const uint32_t first = at.upto(32 - (row_words >> step));
                const bool is = at.all_fine(row, row_words, first, step);
                const bool at_once = last.row_is_fine_at_once(row, first, step);
                const bool said = last.row_is_fine(row, first, step);
                REQUIRE((is || !said));
                REQUIRE((said || !at_once));
                rows.add(said, is);
                rows_at_once.add(at_once, is);
            }
            const Epoch w = at.write(0);
            const Span by{w, uint32_t(random()), 1, at.upto(31)}, now{last.me, uint32_t(random()), 2, at.upto(31)};
            bool is = true;
            for (uint32_t word = 0; word < 32; ++word)
                if (by.words & now.words & 1u << word)
                    is = is &&
                         at.fine(now.lane_of(word), has_lane(w) ? w | uint64_t{by.lane_of(word)} << lane_shift : w);
            const bool said = last.span_is_fine(by, now);
            REQUIRE((is || !said));
            spans.add(said, is);
        }
    }
    CHECK(quads.tried());
    CHECK(rows.tried());
    CHECK(rows_at_once.tried());
    CHECK(spans.tried());
}

TEST_CASE("a copy is judged alike word by word and by rows, through each proxy") {
    std::mt19937 random(4);
    Count cells, words;
    for (int round = 0; round < rounds; ++round) {
        Setting at(random);
        constexpr Proxy proxies[] = {Proxy::generic, Proxy::async_shared, Proxy::async_global};
        const Later later{.proxy = proxies[at.upto(2)], .reduction = at.upto(1) > 0};
        const uint32_t lane = at.upto(31);
        LastWritesOfCopy last(at.ordering, at.warp, lane, later);
        for (int i = 0; i < cells_each; ++i) {
            const uint32_t size = at.upto(1) ? row_words : quad_words;
            const Cell cell = at.cell(size);
            bool is = true;
            for (uint32_t word = 0; word < size; ++word)
                is = is && at.fine(lane, cell.part(word).write, later);
            REQUIRE(last_writes_are_fine(at.ordering, at.warp, lane, cell, size, later) == is);
            const bool said = last.are_fine(cell, size);
            REQUIRE(said == is);
            cells.add(said, is);
            const Epoch w = at.write(31);
            const bool one = last.is_fine(w);
            REQUIRE(one == at.fine(lane, w, later));
            words.add(one, one);
        }
    }
    CHECK(cells.tried());
    CHECK(words.tried());
}

} // namespace last_write_test
