#include "check/check.h"

EXERCISE(12_tma_halo_store, drills, 2_outside) = {
    .title = "What arrives from outside",
    .concepts = {"out-of-bounds fill", "expect_tx"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_12_drill_2 {

void check_largest(int rows, int columns) {
    std::vector<float> image = check::random_values<float>(static_cast<size_t>(rows) * columns);
    for (float& pixel : image)
        pixel -= 5;
    const int across = (columns + 11) / 8, down = (rows + 5) / 4;
    const auto in = check::device(image);
    const auto out = check::output<float>(static_cast<size_t>(across) * down);
    check::call(in, out, rows, columns);
    std::vector<float> expected(out.size(), -1000);
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
            float& most = expected[static_cast<size_t>((y + 2) / 4 * across + (x + 4) / 8)];
            most = std::max(most, image[static_cast<size_t>(y) * columns + x]);
        }
    check::equal(out, expected, {static_cast<size_t>(down), static_cast<size_t>(across)});
}

LAB_CASE("windows inside and at the border", 2) {
    check_largest(10, 28);
}

LAB_CASE("one row of four pixels", 1) {
    check_largest(1, 4);
}

} // namespace lab_12_drill_2
