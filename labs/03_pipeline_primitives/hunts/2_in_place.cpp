#include "check/check.h"

EXERCISE(03_pipeline_primitives, hunts, 2_in_place) = {
    .title = "Deltas in place",
    .concepts = {"the source of a copy in flight"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_03_hunt_2 {

void check_rows(int n, int count) {
    std::vector<int> values = check::random_values<int>(n * count), expected;
    for (int& value : values)
        value %= 10000;
    for (int i = 0; i < n * count; ++i)
        expected.push_back(values[i] - (i % n ? values[i - 1] : 0));
    const auto rows = check::device(values);
    check::call(rows, n, count);
    check::equal(rows, expected);
}

LAB_CASE("one tile", 1) {
    check_rows(100, 3);
}

LAB_CASE("several tiles", 2) {
    check_rows(4 * 128 + 20, 2);
}

} // namespace lab_03_hunt_2
