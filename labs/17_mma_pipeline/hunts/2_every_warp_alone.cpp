#include "check/check.h"

EXERCISE(17_mma_pipeline, hunts, 2_every_warp_alone) = {
    .title = "Every warp alone",
    .concepts = {"a barrier after the wait", "mma.sync"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_17_hunt_2 {

uint16_t to_bf16(float value) { // for values that are exact in bf16
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<uint16_t>(bits >> 16);
}

std::vector<uint16_t> bits(const std::vector<float>& values) {
    std::vector<uint16_t> result;
    for (const float value : values)
        result.push_back(to_bf16(value));
    return result;
}

void check_layer(size_t m, size_t n, size_t k) {
    const auto input = check::random_values<float>(m * k), weights = check::random_values<float>(n * k);
    const auto out = check::output<float>(m * n);
    check::call(check::device(bits(input)), check::device(bits(weights)), out, static_cast<int>(m), static_cast<int>(n),
                static_cast<int>(k));
    std::vector<float> expected(m * n);
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t j = 0; j < k; ++j)
            expected[i] += input[i / n * k + j] * weights[i % n * k + j];
    check::equal(out, expected, {m, n});
}

LAB_CASE("one step", 1) {
    check_layer(64, 32, 32);
}

LAB_CASE("several tiles", 2) {
    check_layer(128, 64, 192);
}

} // namespace lab_17_hunt_2
