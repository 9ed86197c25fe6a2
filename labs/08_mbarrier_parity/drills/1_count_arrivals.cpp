#include "check/check.h"

EXERCISE(08_mbarrier_parity, drills, 1_count_arrivals) = {
    .title = "How many arrivals?",
    .concepts = {"mbarrier.init", "arrival count"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_08_drill_1 {

LAB_CASE("both barriers complete", 1) {
    const auto in = check::random<int>(128), out = check::output<int>(128);
    check::call(in, out);
    std::vector<int> expected(128);
    for (unsigned i = 0; i < 128; ++i)
        expected[i] = static_cast<int>(unsigned(in[127 - (i ^ 64)]) + unsigned(in[i ^ 64]));
    check::equal(out, expected);
}

} // namespace lab_08_drill_1
