#include "check/check.h"

EXERCISE(08_mbarrier_parity, drills, 2_ask_until_yes) = {
    .title = "Ask until the answer is yes",
    .concepts = {"mbarrier.test_wait", "try_wait"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_08_drill_2 {

LAB_CASE("the table is complete before it is read", 1) {
    const auto in = check::random<int>(32), out = check::output<int>(32);
    check::call(in, out);
    std::vector<int> expected(32);
    for (size_t i = 0; i < 32; ++i)
        expected[i] = (in[i] & 31) * (in[i] & 31);
    check::equal(out, expected);
}

} // namespace lab_08_drill_2
