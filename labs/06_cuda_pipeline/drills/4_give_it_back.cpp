#include "check/check.h"

EXERCISE(06_cuda_pipeline, drills, 4_give_it_back) = {
    .title = "Give the stage back",
    .concepts = {"consumer_wait", "consumer_release", "unified"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_06_drill_4 {

void check_tiles(int tiles) {
    const auto in = check::random<int>(64 * tiles), out = check::output<int>(64 * tiles);
    check::call(in, out, tiles);
    std::vector<int> expected(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        expected[i] = in[i ^ 63];
    check::equal(out, expected);
}

LAB_CASE("several laps", 2) {
    check_tiles(6);
}

LAB_CASE("fewer tiles than stages", 1) {
    check_tiles(1);
}

} // namespace lab_06_drill_4
