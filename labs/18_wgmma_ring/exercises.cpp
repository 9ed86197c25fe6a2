#include "check/check.h"

namespace {

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

EXERCISE("drills/1_describe_a_matrix") {
    LAB_CASE("one tile", 2) {
        check_product(64);
    }
}

EXERCISE("drills/2_along_k") {
    LAB_CASE("three panels", 2) {
        check_product(192);
    }
}

EXERCISE("drills/3_who_owns_the_registers") {
    void check_product(size_t depth) {
        const auto values_a = check::random_values<float>(ROWS * depth),
                   values_b = check::random_values<float>(COLUMNS * depth);
        const auto a = check::device(to_bf16(values_a)), b = check::device(to_bf16(values_b));
        const auto d = check::output<float>(ROWS * COLUMNS);
        check::call(a, b, d, static_cast<int>(depth));
        std::vector<float> expected(ROWS * COLUMNS);
        for (size_t i = 0; i < expected.size(); ++i)
            for (size_t k = 0; k < depth; ++k)
                expected[i] +=
                    (k < 64 ? 0.5f : 1.0f) * values_a[i / COLUMNS * depth + k] * values_b[i % COLUMNS * depth + k];
        check::equal(d, expected, {ROWS, COLUMNS});
    }

    LAB_CASE("two panels", 2) {
        check_product(128);
    }
}

EXERCISE("drills/4_which_stage_is_free") {
    LAB_CASE("three laps of the ring", 3) {
        check_product(9 * 64);
        check::that(check::stats().max_matrix_groups >= 1, "a wgmma group is in flight when a stage is released");
    }
}

EXERCISE("drills/5_registers") {
    LAB_CASE("three tiles", 2) {
        const auto in = check::random<float>(3 * 256), out = check::output<float>(3 * 256);
        std::vector<float> expected = in.values();
        for (float& value : expected)
            value *= value;
        check::call(in, out, 3);
        check::equal(out, expected);
    }
}

EXERCISE("hunts/1_the_faster_one") {
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
}

EXERCISE("hunts/2_shorter_rows") {
    constexpr size_t KEYS = 8, HEAD = 32;

    LAB_CASE("three heads", 2) {
        constexpr size_t count = 128, heads = 3, pitch = heads * HEAD;
        const auto queries = check::random_values<float>(count * pitch),
                   keys = check::random_values<float>(KEYS * pitch);
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
}

} // namespace
