#include "check/check.h"

EXERCISE(08_mbarrier_parity, drills, 4_parity_table) = {
    .title = "The parity table of a ring",
    .concepts = {"parity", "ring"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_08_drill_4 {

LAB_CASE("eight tiles, four laps", 1) {
    const auto in = check::random<int>(256), out = check::output<int>(256);
    check::call(in, out);
    std::vector<int> expected(256);
    for (size_t i = 0; i < 256; ++i)
        expected[i] = in[i ^ 31];
    check::equal(out, expected);
}

} // namespace lab_08_drill_4
