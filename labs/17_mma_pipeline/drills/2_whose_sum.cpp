#include "check/check.h"

EXERCISE(17_mma_pipeline, drills, 2_whose_sum) = {
    .title = "Where do the sums belong?",
    .concepts = {"mma.sync", "fragments"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_17_drill_2 {

uint16_t to_bf16(float value) { // for values that are exact in bf16
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<uint16_t>(bits >> 16);
}

LAB_CASE("the product", 1) {
    const auto values_a = check::random_values<float>(256), values_b = check::random_values<float>(128);
    std::vector<uint16_t> bits_a, bits_b;
    for (const float value : values_a)
        bits_a.push_back(to_bf16(value));
    for (const float value : values_b)
        bits_b.push_back(to_bf16(value));
    const auto out = check::output<float>(128);
    check::call(check::device(bits_a), check::device(bits_b), out);
    std::vector<float> expected(128);
    for (size_t i = 0; i < 128; ++i)
        for (size_t k = 0; k < 16; ++k)
            expected[i] += values_a[i / 8 * 16 + k] * values_b[i % 8 * 16 + k];
    check::equal(out, expected, {16, 8});
}

} // namespace lab_17_drill_2
