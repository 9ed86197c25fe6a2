#include "check/check.h"

EXERCISE(02_memcpy_async, drills, 5_zeros) = {
    .title = "Zeros beside copies",
    .concepts = {"cuda::memcpy_async", "ragged end"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_02_drill_5 {

void check_sum(int n) {
    std::vector<int> values = check::random_values<int>(n), expected;
    for (int& value : values)
        value %= 1000;
    for (int i = 0; i < n; ++i)
        expected.push_back(values[i] + (i + 1 < n ? values[i + 1] : 0));
    const auto in = check::device(values), out = check::output<int>(n);
    check::call(in, out, n);
    check::equal(out, expected);
}

LAB_CASE("several tiles, the last one ragged", 2) {
    check_sum(2 * 128 + 31);
    check_sum(1);
}

LAB_CASE("the elements are copied asynchronously", 1) {
    check_sum(3 * 128);
    check::that(check::stats().staged_bytes == 0, "no element is staged through a register");
}

} // namespace lab_02_drill_5
