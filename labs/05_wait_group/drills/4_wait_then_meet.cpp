#include <algorithm>

#include "check/check.h"

EXERCISE(05_wait_group, drills, 4_wait_then_meet) = {
    .title = "Wait, then meet",
    .concepts = {"wait and barrier"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_05_drill_4 {

LAB_CASE("every row is mirrored", 1) {
    const auto in = check::random<float>(512), out = check::output<float>(512);
    check::call(in, out, 2);
    std::vector<float> expected = in.values();
    std::reverse(expected.begin(), expected.begin() + 256);
    std::reverse(expected.begin() + 256, expected.end());
    check::equal(out, expected);
}

} // namespace lab_05_drill_4
