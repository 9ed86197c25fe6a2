#include "check/check.h"

EXERCISE(05_wait_group, drills, 1_which_n) = {
    .title = "Which N?",
    .concepts = {"cp.async.wait_group"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_05_drill_1 {

LAB_CASE("each chunk is stored when it has arrived", 1) {
    const auto in = check::random<int>(384), out = check::output<int>(384);
    check::call(in, out);
    std::vector<int> expected = in.values();
    for (int& value : expected)
        value = -value;
    check::equal(out, expected);
}

LAB_CASE("no wait is longer than it needs to be", 1) {
    const auto in = check::random<int>(384), out = check::output<int>(384);
    check::call(in, out);
    check::that(check::stats().max_groups_in_flight >= 2, "the first wait leaves two groups in flight");
}

} // namespace lab_05_drill_1
