#include "check/check.h"

EXERCISE(08_mbarrier_parity, drills, 3_one_bit) = {
    .title = "One bit for each round",
    .concepts = {"parity"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_08_drill_3 {

void check_rounds(int rounds) {
    const auto in = check::random<unsigned>(64 * rounds), out = check::output<unsigned>(64);
    std::vector<unsigned> expected(64);
    for (int i = 0; i < 64 * rounds; ++i)
        expected[63 - i % 64] += in[i];
    check::call(in, out, rounds);
    check::equal(out, expected);
}

LAB_CASE("one round", 1) {
    check_rounds(1);
}

LAB_CASE("five rounds", 1) {
    check_rounds(5);
}

} // namespace lab_08_drill_3
