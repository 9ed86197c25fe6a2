#include "check/check.h"

EXERCISE(02_memcpy_async, hunts, 2_merged_copies) = {
    .title = "Weighted tiles",
    .concepts = {"cooperative_groups::memcpy_async", "wait_prior"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_02_hunt_2 {

void check_tiles(int tiles) {
    constexpr int TILE = 128;
    const auto in = check::random<float>(tiles * 2 * TILE), out = check::output<float>(tiles * TILE);
    std::vector<float> expected;
    for (int i = 0; i < tiles * TILE; ++i) {
        const int begin = i / TILE * 2 * TILE, t = i % TILE, m = TILE - 1 - t;
        expected.push_back(in[begin + TILE + t] * in[begin + t] - in[begin + TILE + m] * in[begin + m]);
    }
    check::call(in, out, tiles);
    check::equal(out, expected);
}

LAB_CASE("one tile for each block", 1) {
    check_tiles(2);
}

LAB_CASE("several tiles for each block", 2) {
    check_tiles(7);
}

} // namespace lab_02_hunt_2
