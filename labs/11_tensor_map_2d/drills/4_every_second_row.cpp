#include "check/check.h"

EXERCISE(11_tensor_map_2d, drills, 4_every_second_row) = {
    .title = "Every second row",
    .concepts = {"elementStrides"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_11_drill_4 {

LAB_CASE("both fields", 2) {
    constexpr int ROWS = 40, WIDTH = 64;
    const auto picture = check::random<unsigned>(ROWS * WIDTH), fields = check::output<unsigned>(ROWS * WIDTH);
    std::vector<unsigned> expected(ROWS * WIDTH);
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < WIDTH; ++x)
            expected[(y % 2 * ROWS / 2 + y / 2) * WIDTH + x] = picture[y * WIDTH + x];
    check::call(picture, ROWS, fields);
    check::equal(fields, expected);
    check::that(check::stats().tensor_load_bytes <= 6 * 8 * WIDTH * sizeof(unsigned), "no row is loaded for nothing");
}

} // namespace lab_11_drill_4
