#include "check/check.h"

EXERCISE(01_synchronous_staging, hunts, 1_even_part) = {
    .title = "Even part of a signal",
    .concepts = {"__syncwarp", "__syncthreads"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_01_hunt_1 {

void check_rows(int rows) {
    constexpr int COLUMNS = 64;
    const auto in = check::random<float>(rows * COLUMNS), out = check::output<float>(rows * COLUMNS);
    std::vector<float> expected;
    for (int i = 0; i < rows * COLUMNS; ++i)
        expected.push_back((in[i] + in[i / COLUMNS * COLUMNS + (COLUMNS - i % COLUMNS) % COLUMNS]) / 2);
    check::call(in, out, rows);
    check::equal(out, expected);
}

LAB_CASE("a few rows", 1) {
    check_rows(3);
}

LAB_CASE("many rows", 2) {
    check_rows(27);
}

} // namespace lab_01_hunt_1
