#include "check/check.h"

EXERCISE(01_synchronous_staging, drills, 2_window) = {
    .title = "The whole window",
    .concepts = {"halo", "edges"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_01_drill_2 {

void check_sum(int n) {
    std::vector<int> values = check::random_values<int>(n), expected;
    for (int& value : values)
        value %= 1000;
    for (int i = 0; i < n; ++i)
        expected.push_back((i > 0 ? values[i - 1] : 0) + values[i] + (i + 1 < n ? values[i + 1] : 0));
    const auto in = check::device(values), out = check::output<int>(n);
    check::call(in, out, n);
    check::equal(out, expected);
}

LAB_CASE("several tiles", 1) {
    check_sum(3 * 128);
}

LAB_CASE("the last tile is ragged", 1) {
    check_sum(128 + 57);
    check_sum(1);
}

} // namespace lab_01_drill_2
