#include "check/check.h"

EXERCISE(13_swizzle_transpose, hunts, 2_vignette) = {
    .title = "Vignette",
    .concepts = {"swizzled tiles", "positions"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_13_hunt_2 {

LAB_CASE("an image of 60 x 40 pixels", 2) {
    constexpr int rows = 40, columns = 60;
    const auto in = check::random<float>(rows * columns), out = check::output<float>(rows * columns);
    check::call(in, out, rows, columns);
    std::vector<float> expected = in.values();
    for (int i = 0; i < rows * columns; ++i) {
        const int dx = i % columns - columns / 2, dy = i / columns - rows / 2;
        expected[static_cast<size_t>(i)] *= 1.0f / static_cast<float>(1 + dx * dx + dy * dy);
    }
    check::equal(out, expected, {rows, columns});
    check::that(check::stats().swizzled_bytes > 0, "the map still swizzles, because the transpose needs it");
}

} // namespace lab_13_hunt_2
