#include "check/check.h"

EXERCISE(18_wgmma_ring, drills, 2_along_k) = {
    .title = "Along k",
    .concepts = {"matrix descriptors", "panels"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_18_drill_2 {

std::vector<uint16_t> to_bf16(const std::vector<float>& values) { // they are exact in bfloat16
    std::vector<uint16_t> result;
    for (const float value : values) {
        uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        result.push_back(static_cast<uint16_t>(bits >> 16));
    }
    return result;
}

constexpr size_t ROWS = 64, COLUMNS = 8;

void check_product(size_t depth) {
    const auto values_a = check::random_values<float>(ROWS * depth),
               values_b = check::random_values<float>(COLUMNS * depth);
    const auto a = check::device(to_bf16(values_a)), b = check::device(to_bf16(values_b));
    const auto d = check::output<float>(ROWS * COLUMNS);
    check::call(a, b, d, static_cast<int>(depth));
    std::vector<float> expected(ROWS * COLUMNS);
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t k = 0; k < depth; ++k)
            expected[i] += values_a[i / COLUMNS * depth + k] * values_b[i % COLUMNS * depth + k];
    check::equal(d, expected, {ROWS, COLUMNS});
}

LAB_CASE("three panels", 2) {
    check_product(192);
}

} // namespace lab_18_drill_2
