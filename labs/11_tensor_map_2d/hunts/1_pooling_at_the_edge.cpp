#include "check/check.h"

EXERCISE(11_tensor_map_2d, hunts, 1_pooling_at_the_edge) = {
    .title = "Pooling at the edge",
    .concepts = {"out-of-bounds fill", "NaN"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_11_hunt_1 {

void check_pool(int rows, int columns) {
    std::vector<float> values = check::random_values<float>(rows * columns);
    for (float& value : values)
        value -= 4.5f; // all pixels are negative
    const auto picture = check::device(values);
    const int across = (columns + 31) / 32, down = (rows + 7) / 8;
    const auto out = check::output<float>(across * down);
    std::vector<float> expected(across * down, -INFINITY);
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
            float& most = expected[y / 8 * across + x / 32];
            most = std::max(most, values[y * columns + x]);
        }
    check::call(picture, rows, columns, out);
    check::equal(out, expected, {.rows = static_cast<size_t>(down), .columns = static_cast<size_t>(across)});
}

LAB_CASE("whole windows", 1) {
    check_pool(24, 96);
}

LAB_CASE("windows at both edges", 2) {
    check_pool(19, 84);
}

} // namespace lab_11_hunt_1
