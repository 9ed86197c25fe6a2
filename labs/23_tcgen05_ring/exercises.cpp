#include "check/check.h"
#include "check/matrices.h"

namespace {

constexpr size_t ROWS = 128, COLUMNS = 32, DEPTH = 64; // of a tile of D; along k, of a step

// Tiles below each other, of several steps along k. The sums do not depend on the order of the additions.
void check_product(size_t tiles, size_t steps) {
    const size_t rows = tiles * ROWS, depth = steps * DEPTH;
    const auto values_a = check::random_values<float>(rows * depth),
               values_b = check::random_values<float>(COLUMNS * depth);
    const auto a = check::device(check::to_bf16(values_a)), b = check::device(check::to_bf16(values_b));
    const auto d = check::output<float>(rows * COLUMNS);
    check::call(a, b, d);
    std::vector<float> expected(rows * COLUMNS);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = check::dot(&values_a[i / COLUMNS * depth], &values_b[i % COLUMNS * depth], depth);
    check::equal(d, expected, {rows, COLUMNS});
}

EXERCISE("drills/1_a_commit_frees_a_stage") {
    LAB_CASE("one tile of seven steps", 2) {
        check_product(1, 7);
    }
}

EXERCISE("drills/2_two_accumulators") {
    LAB_CASE("five tiles of three steps", 2) {
        check_product(5, 3);
    }
}

EXERCISE("drills/3_release_the_sums") {
    LAB_CASE("five tiles of three steps", 2) {
        check_product(5, 3);
    }
}

EXERCISE("drills/4_free_without_a_barrier") {
    LAB_CASE("five tiles of three steps", 2) {
        check_product(5, 3);
    }
}

EXERCISE("hunts/1_too_many_commits") {
    LAB_CASE("five tiles of three steps", 2) {
        check_product(5, 3);
    }
}

EXERCISE("hunts/2_half_released") {
    LAB_CASE("five tiles of three steps", 2) {
        check_product(5, 3);
    }
}

} // namespace
