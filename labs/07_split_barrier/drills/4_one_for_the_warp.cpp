#include "check/check.h"

EXERCISE(07_split_barrier, drills, 4_one_for_the_warp) = {
    .title = "One arrival for a warp",
    .concepts = {"cooperative_groups::invoke_one", "__syncwarp"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_07_drill_4 {

LAB_CASE("the sums of the squares", 2) {
    const auto in = check::random<int>(128), out = check::output<int>(32);
    check::call(in, out);
    std::vector<int> expected(32);
    for (size_t i = 0; i < 128; ++i) {
        int& sum = expected[31 - i % 32];
        sum = static_cast<int>(unsigned(sum) + unsigned(in[i]) * unsigned(in[i]));
    }
    check::equal(out, expected);
}

} // namespace lab_07_drill_4
