#include "check/check.h"

EXERCISE(10_tma_prefetch_ring, hunts, 1_values_and_scales) = {
    .title = "Values and scales",
    .concepts = {"expect_tx", "createpolicy"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_10_hunt_1 {

void check_dequantise(int n) {
    const auto values = check::random<int8_t>(n);
    const auto scales = check::random<float>(n / 32), out = check::output<float>(n);
    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i)
        expected[i] = scales[i / 32] * static_cast<float>(values[i]);
    check::call(values, scales, out, n);
    check::equal(out, expected);
}

LAB_CASE("whole tiles", 1) {
    check_dequantise(2048);
}

LAB_CASE("a shorter last tile", 2) {
    check_dequantise(9 * 1024 + 384);
}

} // namespace lab_10_hunt_1
