#include "check/check.h"

EXERCISE(02_memcpy_async, drills, 1_barrier_object) = {
    .title = "A barrier that you can name",
    .concepts = {"cuda::barrier", "init", "phase"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_02_drill_1 {

LAB_CASE("each row is doubled and reversed", 2) {
    constexpr int ROWS = 3, COLUMNS = 128;
    std::vector<int> values = check::random_values<int>(ROWS * COLUMNS), expected;
    for (int& value : values)
        value %= 10000;
    for (int i = 0; i < ROWS * COLUMNS; ++i)
        expected.push_back(2 * values[i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS]);
    const auto in = check::device(values), out = check::output<int>(ROWS * COLUMNS);
    check::call(in, out, ROWS);
    check::equal(out, expected);
}

} // namespace lab_02_drill_1
