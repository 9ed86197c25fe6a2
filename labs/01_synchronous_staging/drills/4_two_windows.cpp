#include "check/check.h"

EXERCISE(01_synchronous_staging, drills, 4_two_windows) = {
    .title = "One barrier for each tile",
    .concepts = {"double buffering", "__syncthreads"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_01_drill_4 {

LAB_CASE("one barrier for each tile", 2) {
    constexpr int TILE = 128, TILES = 6;
    std::vector<int> values = check::random_values<int>(TILES * TILE), expected;
    for (int& value : values)
        value %= 1000;
    for (int i = 0; i < TILES * TILE; ++i)
        expected.push_back(values[i] + values[i / TILE * TILE + TILE - 1 - i % TILE]);
    const auto in = check::device(values), out = check::output<int>(TILES * TILE);
    check::call(in, out, TILES);
    check::equal(out, expected);
    check::that(check::stats().block_barriers <= TILES, "the block meets at one barrier for each tile");
}

} // namespace lab_01_drill_4
