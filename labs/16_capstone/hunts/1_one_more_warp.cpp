#include "check/check.h"

EXERCISE(16_capstone, hunts, 1_one_more_warp) = {
    .title = "One more warp",
    .concepts = {"named barriers", "roles"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_16_hunt_1 {

void check_scaled(size_t rows, size_t columns) {
    const auto in = check::random<uint32_t>(rows * columns), factors = check::random<uint32_t>(rows);
    const auto out = check::output<uint32_t>(rows * columns);
    check::call(in, factors, out, static_cast<int>(rows), static_cast<int>(columns));
    std::vector<uint32_t> expected(rows * columns);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = in[i] * factors[i / columns];
    check::equal(out, expected, {rows, columns});
}

LAB_CASE("one tile", 1) {
    check_scaled(20, 32);
}

LAB_CASE("several tiles for each block", 2) {
    check_scaled(130, 100);
}

} // namespace lab_16_hunt_1
