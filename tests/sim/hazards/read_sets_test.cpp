// Interned sets of readers against lists of readers.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "sim/shadow/read_sets.h"

namespace {

using sim::hazards::Epoch, sim::hazards::Reader, sim::hazards::ReadSets;

struct Known {
    Epoch set;
    std::vector<Reader> readers; ///< oldest first
};

std::vector<Reader> readers_of(const ReadSets& sets, Epoch set) {
    std::vector<Reader> found;
    const auto add = [&](const Reader& reader) {
        found.push_back(reader);
        return true;
    };
    CHECK((set == 0 || sets.all_of(set, add)));
    std::reverse(found.begin(), found.end());
    return found;
}

Reader reader(uint32_t warp) {
    return {Epoch(warp + 1) << sim::hazards::warp_shift, 0xffffffff, warp % 7};
}

} // namespace

TEST_CASE("sets of readers grow from one another in any order, and equal ones have one number") {
    std::mt19937 random(1);
    for (const uint32_t warps : {3u, 40u, 5000u}) {
        CAPTURE(warps);
        ReadSets sets;
        std::vector<Known> known = {{0, {}}};
        for (size_t i = 0; i < 20'000; ++i) {
            // Sometimes from the newest one, so that sets of many readers come about.
            const Known& from = random() % 2 ? known.back() : known[random() % known.size()];
            if (from.readers.size() > 64)
                continue;
            Known made = from;
            made.readers.push_back(reader(random() % warps));
            made.set = sets.with(from.set, made.readers.back());
            CHECK(sets.with(from.set, made.readers.back()) == made.set);
            CHECK(sets.count(made.set) == made.readers.size());
            CHECK(sets.newest(made.set) == made.readers.back());
            CHECK(sets.rest(made.set) == from.set);
            known.push_back(std::move(made));
        }
        for (const Known& one : known)
            CHECK(readers_of(sets, one.set) == one.readers);
    }
}

// As after a first kernel whose words have two readers each, and a second that adds a third to all of them.
TEST_CASE("many sets of two readers, then a third for each") {
    ReadSets sets;
    std::vector<Epoch> pairs;
    for (uint32_t i = 0; i < 3000; ++i)
        pairs.push_back(sets.with(sets.with(0, reader(i)), reader(i + 1)));
    for (uint32_t i = 0; i < 3000; ++i)
        CHECK(readers_of(sets, sets.with(pairs[i], reader(9000 + i))) ==
              std::vector{reader(i), reader(i + 1), reader(9000 + i)});
}

TEST_CASE("retired sets count as empty, and are remembered for those who still ask") {
    ReadSets sets;
    const Epoch set = sets.with(sets.with(0, reader(1)), reader(2));
    sets.retire();
    CHECK(sets.retired(set));
    CHECK(sets.count(set) == 0);
    size_t seen = 0;
    CHECK(sets.all_ever_of(set, [&](const Reader&) { return ++seen; }));
    CHECK(seen == 2);
    CHECK(sets.count(sets.with(set, reader(3))) == 1);
    SUBCASE("unless a barrier does not order them") {
        const Epoch kept = sets.with(0, reader(4));
        sets.keep();
        sets.retire();
        CHECK_FALSE(sets.retired(kept));
    }
}
