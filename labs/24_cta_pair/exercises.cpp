#include "check/check.h"
#include "check/matrices.h"

namespace {

constexpr size_t ROWS = 256, COLUMNS = 64, DEPTH = 64;

// The sums do not depend on the order of the additions.
void check_product() {
    const auto values_a = check::random_values<float>(ROWS * DEPTH),
               values_b = check::random_values<float>(COLUMNS * DEPTH);
    const auto a = check::device(check::to_bf16(values_a)), b = check::device(check::to_bf16(values_b));
    const auto d = check::output<float>(ROWS * COLUMNS);
    check::call(a, b, d);
    std::vector<float> expected(ROWS * COLUMNS);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = check::dot(&values_a[i / COLUMNS * DEPTH], &values_b[i % COLUMNS * DEPTH], DEPTH);
    check::equal(d, expected, {ROWS, COLUMNS});
}

EXERCISE("drills/1_halves") {
    LAB_CASE("a pair and one tile", 2) {
        check_product();
    }
}

EXERCISE("drills/2_allocate_as_a_pair") {
    LAB_CASE("a pair and one tile", 2) {
        check_product();
    }
}

EXERCISE("drills/3_commit_to_both") {
    LAB_CASE("a pair and one tile", 2) {
        check_product();
    }
}

EXERCISE("drills/4_the_end_of_a_pair") {
    LAB_CASE("a pair and one tile", 2) {
        check_product();
    }
}

EXERCISE("hunts/1_half_of_the_bytes") {
    LAB_CASE("a pair and one tile", 2) {
        check_product();
    }
}

EXERCISE("hunts/2_one_of_two_waits") {
    LAB_CASE("a pair and one tile", 2) {
        check_product();
    }
}

} // namespace
