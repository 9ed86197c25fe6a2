#include "check/check.h"

EXERCISE(10_tma_prefetch_ring, drills, 2_next_stage) = {
    .title = "The next stage",
    .concepts = {"parity", "ring"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_10_drill_2 {

void check_triple(int tiles) {
    const auto in = check::random<int>(64 * tiles), out = check::output<int>(64 * tiles);
    check::call(in, out, tiles);
    std::vector<int> expected(64 * tiles);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = static_cast<int>(3 * unsigned(in[i]));
    check::equal(out, expected);
}

LAB_CASE("one lap", 1) {
    check_triple(3);
}

LAB_CASE("several laps", 1) {
    check_triple(11);
}

} // namespace lab_10_drill_2
