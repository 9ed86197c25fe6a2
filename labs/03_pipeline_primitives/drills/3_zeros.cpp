#include "check/check.h"

EXERCISE(03_pipeline_primitives, drills, 3_zeros) = {
    .title = "Zeros instead of bytes that do not exist",
    .concepts = {"__pipeline_memcpy_async", "zero fill"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_03_drill_3 {

void check_sums(int n) {
    std::vector<int> values = check::random_values<int>(n), expected((n + 3) / 4);
    for (int i = 0; i < n; ++i)
        expected[i / 4] += values[i] = 1 + (values[i] & 1023);
    const auto in = check::device(values), out = check::output<int>(expected.size());
    check::call(in, out, n);
    check::equal(out, expected);
}

LAB_CASE("a multiple of four", 1) {
    check_sums(300);
}

LAB_CASE("one, two or three integers are left", 1) {
    for (const int rest : {1, 2, 3})
        check_sums(260 + rest);
}

} // namespace lab_03_drill_3
