#include <algorithm>

#include "check/check.h"

EXERCISE(07_split_barrier, hunts, 1_a_warp_for_the_bias) = {
    .title = "A warp for the bias",
    .concepts = {"expected count", "warp specialisation"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_07_hunt_1 {

void check_bias(int rows, int columns) {
    const size_t n = size_t(rows) * columns;
    const auto in = check::random<int>(n), bias = check::random<int>(columns), out = check::output<int>(n);
    check::call(in, bias, out, static_cast<int>(n / 128), columns);
    std::vector<int> expected(n);
    for (size_t i = 0; i < n; ++i)
        expected[i] = std::max(static_cast<int>(unsigned(in[i]) + unsigned(bias[i % columns])), 0);
    check::equal(out, expected);
}

LAB_CASE("one tile", 1) {
    check_bias(1, 128);
}

LAB_CASE("several laps", 2) {
    check_bias(5, 384);
}

} // namespace lab_07_hunt_1
