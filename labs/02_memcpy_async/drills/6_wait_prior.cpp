#include "check/check.h"

EXERCISE(02_memcpy_async, drills, 6_wait_prior) = {
    .title = "Copies of a group of threads",
    .concepts = {"cooperative_groups::memcpy_async", "wait_prior"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_02_drill_6 {

LAB_CASE("the first wait leaves two copies in flight", 2) {
    std::vector<int> values = check::random_values<int>(192), expected;
    for (int& value : values)
        value %= 1000;
    for (int t = 0; t < 64; ++t)
        expected.push_back(values[63 - t]);
    for (int t = 0; t < 64; ++t)
        expected.push_back(values[127 - t] + values[191 - t]);
    const auto in = check::device(values), out = check::output<int>(128);
    check::call(in, out);
    check::equal(out, expected);
    check::that(check::stats().max_groups_in_flight >= 2, "the first wait leaves two copies in flight");
}

} // namespace lab_02_drill_6
