#include "check/check.h"

EXERCISE(11_tensor_map_2d, drills, 2_whole_box) = {
    .title = "Bytes of an edge box",
    .concepts = {"expect_tx", "out-of-bounds fill"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_11_drill_2 {

void check_maxima(int rows, int columns) {
    const auto matrix = check::random<unsigned>(rows * columns);
    const int across = (columns + 31) / 32, down = (rows + 7) / 8;
    const auto out = check::output<unsigned>(across * down);
    std::vector<unsigned> expected(across * down);
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
            unsigned& most = expected[y / 8 * across + x / 32];
            most = std::max(most, matrix[y * columns + x]);
        }
    check::call(matrix, rows, columns, out);
    check::equal(out, expected);
}

LAB_CASE("whole tiles", 1) {
    check_maxima(16, 64);
}

LAB_CASE("tiles at both edges", 1) {
    check_maxima(21, 76);
}

} // namespace lab_11_drill_2
