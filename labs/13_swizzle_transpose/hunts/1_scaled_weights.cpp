#include "check/check.h"

EXERCISE(13_swizzle_transpose, hunts, 1_scaled_weights) = {
    .title = "Scaled weights",
    .concepts = {"base offset", "alignment of stages"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_13_hunt_1 {

void check_scaled(size_t tiles) {
    const auto weights = check::random<uint32_t>(tiles * 256), scales = check::random<uint32_t>(tiles * 32);
    const auto out = check::output<uint32_t>(tiles * 256);
    check::call(weights, scales, out, static_cast<int>(tiles));
    std::vector<uint32_t> expected(tiles * 256);
    for (size_t i = 0; i < expected.size(); ++i) {
        const size_t tile = i / 256, row = i % 256 / 32, column = i % 32;
        expected[(tile * 32 + column) * 8 + row] = weights[i] * scales[tile * 32 + column];
    }
    check::equal(out, expected, {tiles * 32, 8});
}

LAB_CASE("one tile", 1) {
    check_scaled(1);
}

LAB_CASE("five tiles", 2) {
    check_scaled(5);
    check::that(check::stats().swizzled_bytes == 5 * 1024, "the map swizzles");
}

} // namespace lab_13_hunt_1
