#include "check/check.h"

EXERCISE(16_capstone, hunts, 2_the_next_matrix) = {
    .title = "The next matrix",
    .concepts = {"laps and parities", "roles"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_16_hunt_2 {

void check_sums(const std::vector<int>& rows) {
    size_t all = 0;
    for (const int count : rows)
        all += static_cast<size_t>(count) * 32;
    const auto in = check::random<uint32_t>(all), sums = check::output<uint32_t>(4);
    check::call(in, rows[0], rows[1], rows[2], rows[3], sums);
    std::vector<uint32_t> expected(4);
    for (size_t m = 0, i = 0; m < 4; ++m)
        for (const size_t end = i + static_cast<size_t>(rows[m]) * 32; i < end; ++i)
            expected[m] += in[i];
    check::equal(sums, expected);
}

LAB_CASE("four tiles each", 1) {
    check_sums({128, 128, 100, 128});
}

LAB_CASE("different sizes", 2) {
    check_sums({40, 200, 32, 97});
}

} // namespace lab_16_hunt_2
