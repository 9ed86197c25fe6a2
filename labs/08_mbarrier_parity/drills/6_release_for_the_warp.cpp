#include "check/check.h"

EXERCISE(08_mbarrier_parity, drills, 6_release_for_the_warp) = {
    .title = "One lane speaks for its warp",
    .concepts = {"empty barrier", "__syncwarp"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_08_drill_6 {

LAB_CASE("no tile is overwritten while a lane reads it", 1) {
    const auto in = check::random<int>(160), out = check::output<int>(160);
    check::call(in, out);
    std::vector<int> expected(160);
    for (size_t i = 0; i < 160; ++i)
        expected[i] = static_cast<int>(unsigned(in[i / 32 * 32 + (i + 1) % 32]) - unsigned(in[i]));
    check::equal(out, expected);
}

} // namespace lab_08_drill_6
