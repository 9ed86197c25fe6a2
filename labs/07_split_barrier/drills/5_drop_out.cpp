#include "check/check.h"

EXERCISE(07_split_barrier, drills, 5_drop_out) = {
    .title = "Drop out",
    .concepts = {"arrive_and_drop"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_07_drill_5 {

LAB_CASE("the sum of each block", 2) {
    const auto in = check::random<int>(256), out = check::output<int>(2);
    check::call(in, out, 2);
    std::vector<int> expected(2);
    for (size_t i = 0; i < 256; ++i)
        expected[i / 128] = static_cast<int>(unsigned(expected[i / 128]) + unsigned(in[i]));
    check::equal(out, expected);
}

} // namespace lab_07_drill_5
