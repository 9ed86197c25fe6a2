#include "check/check.h"

EXERCISE(06_cuda_pipeline, drills, 6_quit) = {
    .title = "Leave before you come back",
    .concepts = {"quit", "producer_count"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_06_drill_6 {

LAB_CASE("both passes", 2) {
    const auto in = check::random<int>(128), sums = check::output<int>(32), out = check::output<int>(64);
    check::call(in, sums, out);
    std::vector<int> expected_sums(32), expected(64);
    for (size_t i = 0; i < 32; ++i)
        expected_sums[i] = static_cast<int>(unsigned(in[i]) + unsigned(in[63 - i]));
    for (size_t i = 0; i < 64; ++i)
        expected[i] = in[127 - i];
    check::equal(sums, expected_sums);
    check::equal(out, expected);
}

} // namespace lab_06_drill_6
