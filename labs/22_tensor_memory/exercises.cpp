#include "check/check.h"
#include "check/matrices.h"

namespace {

constexpr size_t ROWS = 128, COLUMNS = 32, DEPTH = 64;

// The sums of products that do not depend on the order of the additions.
std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> result(ROWS * COLUMNS);
    for (size_t i = 0; i < result.size(); ++i)
        result[i] = check::dot(&a[i / COLUMNS * DEPTH], &b[i % COLUMNS * DEPTH], DEPTH);
    return result;
}

void check_product() {
    const auto values_a = check::random_values<float>(ROWS * DEPTH),
               values_b = check::random_values<float>(COLUMNS * DEPTH);
    const auto a = check::device(check::to_bf16(values_a)), b = check::device(check::to_bf16(values_b));
    const auto d = check::output<float>(ROWS * COLUMNS);
    check::call(a, b, d);
    check::equal(d, product(values_a, values_b), {ROWS, COLUMNS});
}

EXERCISE("drills/1_allocate_and_publish") {
    LAB_CASE("a number for each thread", 2) {
        const auto in = check::random<uint32_t>(128), out = check::output<uint32_t>(128);
        check::call(in, out);
        check::equal(out, in.values());
    }
}

EXERCISE("drills/2_describe_the_product") {
    // Small integers as f16: the sign, 5 bits of exponent, 10 of mantissa.
    uint16_t to_f16(float value) {
        if (value == 0)
            return 0;
        uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        const uint32_t exponent = (bits >> 23 & 255) - 127 + 15;
        return static_cast<uint16_t>((bits >> 31) << 15 | exponent << 10 | (bits >> 13 & 1023));
    }

    LAB_CASE("one tile", 2) {
        const auto values_a = check::random_values<float>(ROWS * DEPTH),
                   values_b = check::random_values<float>(COLUMNS * DEPTH);
        std::vector<uint16_t> halves_a, halves_b;
        for (const float value : values_a)
            halves_a.push_back(to_f16(value));
        for (const float value : values_b)
            halves_b.push_back(to_f16(value));
        const auto a = check::device(halves_a), b = check::device(halves_b);
        const auto d = check::output<float>(ROWS * COLUMNS);
        check::call(a, b, d);
        check::equal(d, product(values_a, values_b), {ROWS, COLUMNS});
    }
}

EXERCISE("drills/3_commit") {
    LAB_CASE("one tile", 2) {
        check_product();
    }
}

EXERCISE("drills/4_your_lanes") {
    LAB_CASE("one tile", 2) {
        check_product();
    }
}

EXERCISE("drills/5_start_from_a_bias") {
    LAB_CASE("one tile", 2) {
        const auto values_a = check::random_values<float>(ROWS * DEPTH),
                   values_b = check::random_values<float>(COLUMNS * DEPTH);
        const auto a = check::device(check::to_bf16(values_a)), b = check::device(check::to_bf16(values_b));
        const auto bias = check::random<float>(ROWS), d = check::output<float>(ROWS * COLUMNS);
        check::call(a, b, bias, d);
        auto expected = product(values_a, values_b);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] += bias.values()[i / COLUMNS];
        check::equal(d, expected, {ROWS, COLUMNS});
    }
}

EXERCISE("hunts/1_rows_of_another_warp") {
    LAB_CASE("one tile", 2) {
        check_product();
    }
}

EXERCISE("hunts/2_freed_in_between") {
    LAB_CASE("the best keys", 2) {
        const auto values_a = check::random_values<float>(ROWS * DEPTH),
                   values_b = check::random_values<float>(COLUMNS * DEPTH);
        const auto queries = check::device(check::to_bf16(values_a)), keys = check::device(check::to_bf16(values_b));
        const auto best = check::output<float>(ROWS);
        check::call(queries, keys, best);
        const auto scores = product(values_a, values_b);
        std::vector<float> expected(ROWS, scores[0]);
        for (size_t row = 0; row < ROWS; ++row)
            expected[row] = *std::max_element(&scores[row * COLUMNS], &scores[row * COLUMNS] + COLUMNS);
        check::equal(best, expected);
    }
}

} // namespace
