#include "check/check.h"

EXERCISE(05_wait_group, hunts, 1_stereo_echo) = {
    .title = "Stereo echo",
    .concepts = {"cp.async.wait_group", "groups"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_05_hunt_1 {

void check_mix(int n) {
    std::vector<int> left = check::random_values<int>(n), right = check::random_values<int>(n), expected(n);
    for (int i = 0; i < n; ++i)
        left[i] %= 1 << 20, right[i] %= 1 << 20;
    for (int i = 0; i < n; ++i)
        expected[i] = (left[i] + right[i]) / 2 + (i % 128 == 0 ? 0 : (left[i - 1] + right[i - 1]) / 4);
    const auto out = check::output<int>(n);
    check::call(check::device(left), check::device(right), out, n);
    check::equal(out, expected);
}

LAB_CASE("a long file", 2) {
    check_mix(4 * 9 * 128);
    check::that(!check::copies_end_late() || check::stats().max_groups_in_flight >= 2,
                "a wait leaves at least two tiles in flight");
}

LAB_CASE("any length", 1) {
    for (const int n : {1, 127, 1000})
        check_mix(n);
}

} // namespace lab_05_hunt_1
