#include "check/check.h"

EXERCISE(05_wait_group, hunts, 2_row_after_row) = {
    .title = "Row after row",
    .concepts = {"refilling a stage", "one barrier per round"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_05_hunt_2 {

void check_rows(int rows, int tiles) {
    const size_t width = 128 * tiles;
    const auto in = check::random<int>(rows * width), out = check::output<int>(rows * width);
    check::call(in, out, rows, tiles);
    std::vector<int> expected(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        expected[i] = static_cast<int>(unsigned(in[i]) - (i % width == 0 ? 0u : unsigned(in[i - 1])));
    check::equal(out, expected, {.rows = size_t(rows), .columns = width});
}

LAB_CASE("one row for each block", 1) {
    check_rows(2, 5);
}

LAB_CASE("several rows for each block", 2) {
    for (const int tiles : {1, 2, 3, 4, 5})
        check_rows(5, tiles);
}

} // namespace lab_05_hunt_2
