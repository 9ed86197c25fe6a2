#include "check/check.h"

EXERCISE(17_mma_pipeline, hunts, 1_scores) = {
    .title = "Scores",
    .concepts = {"refilling a stage", "mma.sync"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_17_hunt_1 {

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

void check_scores(size_t rows, size_t count) {
    const auto queries = check::random_values<float>(rows * 64), keys = check::random_values<float>(count * 64);
    const auto out = check::output<float>(rows * count);
    check::call(check::device(bits(queries)), check::device(bits(keys)), out, static_cast<int>(rows),
                static_cast<int>(count));
    std::vector<float> expected(rows * count);
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t k = 0; k < 64; ++k)
            expected[i] += queries[i / count * 64 + k] * keys[i % count * 64 + k];
    check::equal(out, expected, {rows, count});
}

LAB_CASE("one tile of keys", 1) {
    check_scores(64, 32);
}

LAB_CASE("many tiles of keys", 2) {
    check_scores(128, 160);
}

} // namespace lab_17_hunt_1
