#include "check/check.h"

EXERCISE(12_tma_halo_store, drills, 1_left_of_the_row) = {
    .title = "Left of the row",
    .concepts = {"negative coordinates", "misaligned-copy"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_12_drill_1 {

LAB_CASE("three rows", 2) {
    constexpr size_t rows = 3, columns = 96;
    const auto in = check::random<float>(rows * columns), out = check::output<float>(rows * columns);
    check::call(in, out, static_cast<int>(rows), static_cast<int>(columns));
    std::vector<float> expected(rows * columns);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = (i % columns ? in[i - 1] : 0) + in[i] + (i % columns + 1 < columns ? in[i + 1] : 0);
    check::equal(out, expected, {rows, columns});
}

} // namespace lab_12_drill_1
