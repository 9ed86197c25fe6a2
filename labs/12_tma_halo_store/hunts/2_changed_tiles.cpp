#include "check/check.h"

EXERCISE(12_tma_halo_store, hunts, 2_changed_tiles) = {
    .title = "Changed tiles",
    .concepts = {"expect_tx", "edges"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_12_hunt_2 {

void check_tiles(size_t rows, size_t columns) {
    const size_t across = (columns + 63) / 64, down = (rows + 15) / 16;
    const auto pixels = check::random<uint32_t>(rows * columns), sums = check::output<uint32_t>(across * down);
    check::call(pixels, sums, static_cast<int>(rows), static_cast<int>(columns));
    std::vector<uint32_t> expected(across * down);
    for (size_t i = 0; i < pixels.size(); ++i)
        expected[i / columns / 16 * across + i % columns / 64] += pixels[i];
    check::equal(sums, expected, {down, across});
}

LAB_CASE("whole tiles", 1) {
    check_tiles(32, 128);
}

LAB_CASE("tiles that end outside the screen", 2) {
    check_tiles(40, 192);
    check_tiles(19, 100);
}

} // namespace lab_12_hunt_2
