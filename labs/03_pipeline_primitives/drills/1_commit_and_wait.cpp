#include "check/check.h"

EXERCISE(03_pipeline_primitives, drills, 1_commit_and_wait) = {
    .title = "Copy, commit, wait",
    .concepts = {"__pipeline_commit", "__pipeline_wait_prior"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_03_drill_1 {

LAB_CASE("the copy is complete", 1) {
    const auto in = check::random<int>(128), out = check::output<int>(128);
    check::call(in, out);
    std::vector<int> expected = in.values();
    for (int& value : expected)
        value = -value;
    check::equal(out, expected);
}

} // namespace lab_03_drill_1
