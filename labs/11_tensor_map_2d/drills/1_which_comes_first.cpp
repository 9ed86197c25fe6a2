#include "check/check.h"

EXERCISE(11_tensor_map_2d, drills, 1_which_comes_first) = {
    .title = "Which dimension comes first?",
    .concepts = {"dimension order", "strides in bytes", "boxes"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_11_drill_1 {

LAB_CASE("boxes of a column-major matrix", 2) {
    constexpr int ROWS = 64, COLUMNS = 24, LD = 80;
    const auto matrix = check::random<float>(LD * COLUMNS), out = check::output<float>(ROWS * COLUMNS);
    std::vector<float> expected;
    for (int by = 0; by < COLUMNS / 8; ++by)
        for (int bx = 0; bx < ROWS / 32; ++bx)
            for (int column = 0; column < 8; ++column)
                for (int row = 0; row < 32; ++row)
                    expected.push_back(matrix[(by * 8 + column) * LD + bx * 32 + row]);
    check::call(matrix, ROWS, COLUMNS, LD, out);
    check::equal(out, expected);
    check::that(check::stats().tensor_load_bytes == ROWS * COLUMNS * sizeof(float), "tile copies load each box once");
}

} // namespace lab_11_drill_1
