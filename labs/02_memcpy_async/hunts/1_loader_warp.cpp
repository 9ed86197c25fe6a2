#include <algorithm>

#include "check/check.h"

EXERCISE(02_memcpy_async, hunts, 1_loader_warp) = {
    .title = "Row maxima",
    .concepts = {"cuda::barrier", "arrival count"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_02_hunt_1 {

void check_rows(int rows) {
    constexpr int COLUMNS = 512;
    const auto in = check::random<int>(rows * COLUMNS), out = check::output<int>(rows);
    std::vector<int> expected;
    for (int row = 0; row < rows; ++row)
        expected.push_back(*std::max_element(in.begin() + row * COLUMNS, in.begin() + (row + 1) * COLUMNS));
    check::call(in, out, rows);
    check::equal(out, expected);
}

LAB_CASE("one row for each block", 1) {
    check_rows(2);
}

LAB_CASE("several rows for each block", 2) {
    check_rows(7);
}

} // namespace lab_02_hunt_1
