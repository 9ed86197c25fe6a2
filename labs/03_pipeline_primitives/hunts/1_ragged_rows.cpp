#include "check/check.h"

EXERCISE(03_pipeline_primitives, hunts, 1_ragged_rows) = {
    .title = "Difference to the other half",
    .concepts = {"groups belong to a thread", "empty groups"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_03_hunt_1 {

void check_differences(int n) {
    constexpr int TILE = 128;
    const auto in = check::random<float>(n), out = check::output<float>(n);
    std::vector<float> expected;
    for (int i = 0; i < n; ++i) {
        const int other = i / TILE * TILE + (i + TILE / 2) % TILE;
        expected.push_back(other < n ? in[i] - in[other] : in[i]);
    }
    check::call(in, out, n);
    check::equal(out, expected);
}

LAB_CASE("whole tiles", 1) {
    check_differences(6 * 128);
}

LAB_CASE("a ragged tile at the end", 2) {
    check_differences(6 * 128 + 50);
    check_differences(70);
}

} // namespace lab_03_hunt_1
