#include "check/check.h"

EXERCISE(08_mbarrier_parity, hunts, 2_row_by_row) = {
    .title = "Row by row",
    .concepts = {"parity", "persistent blocks"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_08_hunt_2 {

void check_rows(int rows, int tiles) {
    const auto matrix = check::random<unsigned>(64 * rows * tiles), sums = check::output<unsigned>(rows);
    std::vector<unsigned> expected(rows);
    for (size_t i = 0; i < matrix.size(); ++i)
        expected[i / (64 * tiles)] += matrix[i];
    check::call(matrix, sums, rows, tiles);
    check::equal(sums, expected);
}

LAB_CASE("rows of six tiles", 1) {
    check_rows(4, 6);
}

LAB_CASE("rows of three tiles", 1) {
    check_rows(5, 3);
}

LAB_CASE("rows of four tiles", 1) {
    check_rows(6, 4);
}

} // namespace lab_08_hunt_2
