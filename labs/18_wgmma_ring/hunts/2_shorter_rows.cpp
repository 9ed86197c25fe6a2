#include "check/check.h"

EXERCISE(18_wgmma_ring, hunts, 2_shorter_rows) = {
    .title = "Shorter rows",
    .concepts = {"matrix descriptors", "swizzle"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_18_hunt_2 {

std::vector<uint16_t> to_bf16(const std::vector<float>& values) { // they are exact in bfloat16
    std::vector<uint16_t> result;
    for (const float value : values) {
        uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        result.push_back(static_cast<uint16_t>(bits >> 16));
    }
    return result;
}

constexpr size_t KEYS = 8, HEAD = 32;

LAB_CASE("three heads", 2) {
    constexpr size_t count = 128, heads = 3, pitch = heads * HEAD;
    const auto queries = check::random_values<float>(count * pitch), keys = check::random_values<float>(KEYS * pitch);
    const auto q = check::device(to_bf16(queries)), k = check::device(to_bf16(keys));
    const auto scores = check::output<float>(heads * count * KEYS);
    check::call(q, k, scores, static_cast<int>(count), static_cast<int>(heads));
    std::vector<float> expected(heads * count * KEYS);
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t e = 0; e < HEAD; ++e) {
            const size_t head = i / KEYS / count, query = i / KEYS % count, key = i % KEYS;
            expected[i] += queries[query * pitch + head * HEAD + e] * keys[key * pitch + head * HEAD + e];
        }
    check::equal(scores, expected, {heads * count, KEYS});
}

} // namespace lab_18_hunt_2
