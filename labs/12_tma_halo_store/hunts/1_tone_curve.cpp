#include "check/check.h"

EXERCISE(12_tma_halo_store, hunts, 1_tone_curve) = {
    .title = "Tone curve",
    .concepts = {"wait_group.read N", "buffer reuse"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_12_hunt_1 {

void check_tone(size_t rows, size_t columns) {
    const auto in = check::random<float>(rows * columns), out = check::output<float>(rows * columns);
    check::call(in, out, static_cast<int>(rows), static_cast<int>(columns));
    std::vector<float> expected = in.values();
    for (float& value : expected)
        value = value / (1 + std::abs(value));
    check::equal(out, expected, {rows, columns});
}

LAB_CASE("a small image", 1) {
    check_tone(10, 36);
}

LAB_CASE("a large image", 2) {
    check_tone(50, 100);
    check::that(check::stats().tensor_store_bytes == 50 * 100 * sizeof(float), "the copy unit stores the results");
}

} // namespace lab_12_hunt_1
