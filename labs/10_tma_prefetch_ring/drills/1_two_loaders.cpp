#include "check/check.h"

EXERCISE(10_tma_prefetch_ring, drills, 1_two_loaders) = {
    .title = "A count for each role",
    .concepts = {"arrival counts", "roles"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_10_drill_1 {

LAB_CASE("five pairs of tiles", 1) {
    const auto left = check::random<int>(480), right = check::random<int>(480), out = check::output<int>(480);
    check::call(left, right, out, 5);
    std::vector<int> expected(480);
    for (size_t i = 0; i < 480; ++i)
        expected[i] = static_cast<int>(unsigned(left[i]) + unsigned(right[i]));
    check::equal(out, expected);
}

} // namespace lab_10_drill_1
