#include "check/check.h"

EXERCISE(01_synchronous_staging, drills, 1_two_barriers) = {
    .title = "Two barriers",
    .concepts = {"__syncthreads", "read-after-write", "write-after-read"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_01_drill_1 {

void check_rows(int rows) {
    constexpr int COLUMNS = 128;
    const auto in = check::random<int>(rows * COLUMNS), out = check::output<int>(rows * COLUMNS);
    check::call(in, out, rows);
    std::vector<int> expected;
    for (int i = 0; i < rows * COLUMNS; ++i)
        expected.push_back(in[i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS]);
    check::equal(out, expected);
}

LAB_CASE("one row", 1) {
    check_rows(1);
}

LAB_CASE("several rows", 1) {
    check_rows(4);
}

} // namespace lab_01_drill_1
