#include "check/check.h"

EXERCISE(05_wait_group, drills, 5_free_stage) = {
    .title = "Which stage is free?",
    .concepts = {"ring", "one barrier per round"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_05_drill_5 {

void check_tiles(int tiles) {
    const auto in = check::random<int>(64 * tiles), out = check::output<int>(64 * tiles);
    check::call(in, out, tiles);
    std::vector<int> expected(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        expected[i] = in[i ^ 63];
    check::equal(out, expected);
}

LAB_CASE("several laps of the ring", 1) {
    check_tiles(8);
}

LAB_CASE("fewer tiles than stages", 1) {
    check_tiles(1);
    check_tiles(2);
}

} // namespace lab_05_drill_5
