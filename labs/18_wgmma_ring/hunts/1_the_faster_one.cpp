#include "check/check.h"

EXERCISE(18_wgmma_ring, hunts, 1_the_faster_one) = {
    .title = "The faster one",
    .concepts = {"wgmma groups", "ring of mbarriers"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_18_hunt_1 {

std::vector<uint16_t> to_bf16(const std::vector<float>& values) { // they are exact in bfloat16
    std::vector<uint16_t> result;
    for (const float value : values) {
        uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        result.push_back(static_cast<uint16_t>(bits >> 16));
    }
    return result;
}

constexpr size_t OUTPUTS = 8;

void check_projection(size_t count, size_t depth) {
    const auto values = check::random_values<float>(count * depth),
               weights = check::random_values<float>(OUTPUTS * depth);
    const auto a = check::device(to_bf16(values)), b = check::device(to_bf16(weights));
    const auto out = check::output<float>(count * OUTPUTS);
    check::call(a, b, out, static_cast<int>(count), static_cast<int>(depth));
    std::vector<float> expected(count * OUTPUTS);
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t k = 0; k < depth; ++k)
            expected[i] += values[i / OUTPUTS * depth + k] * weights[i % OUTPUTS * depth + k];
    check::equal(out, expected, {count, OUTPUTS});
}

LAB_CASE("one step", 1) {
    check_projection(64, 64);
}

LAB_CASE("several laps of the ring", 2) {
    check_projection(128, 8 * 64);
}

} // namespace lab_18_hunt_1
