#include "check/check.h"
#include "check/matrices.h"

namespace {

constexpr size_t OUTPUTS = 8;

// -1, 0 and 1: sums of up to 64 of them are exact in bf16.
std::vector<float> signs(size_t count) {
    auto values = check::random_values<float>(count);
    for (float& value : values)
        value = value < -1.5f ? -1.0f : value > 1.5f ? 1.0f : 0.0f;
    return values;
}

EXERCISE("drills/1_one_pass") {
    LAB_CASE("scores that differ widely", 2) {
        constexpr size_t rows = 4, columns = 8 * 32;
        auto scores = check::random_values<float>(rows * columns);
        for (float& score : scores)
            score *= 30;
        const auto values = check::random_values<float>(rows * columns);
        const auto s = check::device(scores), v = check::device(values);
        const auto means = check::output<float>(rows);
        check::call(s, v, means, static_cast<int>(rows), static_cast<int>(columns));
        std::vector<float> expected;
        for (size_t row = 0; row < rows; ++row) {
            const auto first = scores.begin() + static_cast<ptrdiff_t>(row * columns);
            const double largest = *std::max_element(first, first + columns);
            double weights = 0, sum = 0;
            for (size_t i = row * columns; i < (row + 1) * columns; ++i) {
                const double weight = std::exp(double{scores[i]} - largest);
                weights += weight;
                sum += weight * values[i];
            }
            expected.push_back(static_cast<float>(sum / weights));
        }
        check::equal(means, expected, {}, 1e-4);
    }
}

EXERCISE("drills/2_the_same_registers") {
    LAB_CASE("64 keys", 2) {
        constexpr size_t edge = 64;
        const auto queries = signs(edge * edge), keys = signs(edge * edge),
                   values = check::random_values<float>(OUTPUTS * edge);
        const auto q = check::device(check::to_bf16(queries)), k = check::device(check::to_bf16(keys)),
                   v = check::device(check::to_bf16(values));
        const auto o = check::output<float>(edge * OUTPUTS);
        check::call(q, k, v, o);
        std::vector<float> expected(edge * OUTPUTS);
        for (size_t row = 0; row < edge; ++row)
            for (size_t key = 0; key < edge; ++key) {
                const float score = check::dot(&queries[row * edge], &keys[key * edge], edge);
                for (size_t i = 0; i < OUTPUTS; ++i)
                    expected[row * OUTPUTS + i] += score * values[i * edge + key];
            }
        check::equal(o, expected, {edge, OUTPUTS});
    }
}

EXERCISE("drills/3_rows_of_v") {
    LAB_CASE("two panels", 2) {
        constexpr size_t rows = 64, keys = 64, columns = 32;
        const auto weights = check::random_values<float>(rows * keys),
                   values = check::random_values<float>(keys * columns);
        const auto w = check::device(check::to_bf16(weights)), v = check::device(check::to_bf16(values));
        const auto o = check::output<float>(rows * columns);
        check::call(w, v, o);
        std::vector<float> expected(rows * columns);
        for (size_t i = 0; i < expected.size(); ++i)
            for (size_t key = 0; key < keys; ++key)
                expected[i] += weights[i / columns * keys + key] * values[key * columns + i % columns];
        check::equal(o, expected, {rows, columns});
    }
}

EXERCISE("drills/4_in_turns") {
    LAB_CASE("six numbers", 2) {
        const auto numbers = check::random<uint32_t>(6);
        const auto result = check::output<uint32_t>(1);
        check::call(numbers, result, 6);
        uint32_t hash = 1;
        for (uint32_t x : numbers) {
            for (int i = 0; i < 8; ++i)
                x = x * 1664525 + 1013904223;
            hash = hash * 31 + x;
        }
        check::equal(result, {hash});
    }
}

// Without a softmax: the scores are the weights. What is added up before the keys `keys` - 64 t counts `decay`^t.
void check_linear_attention(size_t queries, size_t keys, float decay) {
    constexpr size_t head = 64, step = 64;
    const auto of_q = signs(queries * head), of_k = signs(keys * head),
               of_v = check::random_values<float>(OUTPUTS * keys);
    const auto q = check::device(check::to_bf16(of_q)), k = check::device(check::to_bf16(of_k)),
               v = check::device(check::to_bf16(of_v));
    const auto o = check::output<float>(queries * OUTPUTS);
    check::call(q, k, v, o, static_cast<int>(queries), static_cast<int>(keys));
    std::vector<float> expected(queries * OUTPUTS);
    for (size_t row = 0; row < queries; ++row)
        for (size_t key = 0; key < keys; ++key) {
            const float score = check::dot(&of_q[row * head], &of_k[key * head], head);
            for (size_t i = 0; i < OUTPUTS; ++i) {
                float& sum = expected[row * OUTPUTS + i];
                sum = (key > 0 && key % step == 0 ? decay * sum : sum) + score * of_v[i * keys + key];
            }
        }
    check::equal(o, expected, {queries, OUTPUTS});
}

EXERCISE("hunts/1_room_for_the_next_keys") {
    LAB_CASE("several laps of the ring", 2) {
        check_linear_attention(128, 6 * 64, 1);
    }
}

EXERCISE("hunts/2_what_decays") {
    LAB_CASE("four steps", 2) {
        check_linear_attention(128, 4 * 64, 0.5f);
    }
}

} // namespace
