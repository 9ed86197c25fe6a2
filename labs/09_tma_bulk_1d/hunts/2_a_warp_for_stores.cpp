#include "check/check.h"

EXERCISE(09_tma_bulk_1d, hunts, 2_a_warp_for_stores) = {
    .title = "A warp for the stores",
    .concepts = {"bulk groups", "cuda::device::experimental"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_hunt_2 {

void check_fade(int n) {
    const auto signal = check::random<float>(n);
    std::vector<float> expected = signal.values();
    for (int i = 0; i < n; ++i)
        expected[i] *= static_cast<float>(n - i) / static_cast<float>(n);
    check::call(signal, n);
    check::equal(signal, expected);
}

LAB_CASE("one tile for each block", 1) {
    check_fade(512);
}

LAB_CASE("several tiles for each block", 2) {
    check_fade(2048);
}

} // namespace lab_09_hunt_2
