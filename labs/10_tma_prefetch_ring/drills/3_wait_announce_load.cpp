#include "check/check.h"

EXERCISE(10_tma_prefetch_ring, drills, 3_wait_announce_load) = {
    .title = "Wait, announce, load",
    .concepts = {"expect_tx", "empty barrier"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_10_drill_3 {

void check_complement(int tiles) {
    const auto in = check::random<unsigned>(128 * tiles), out = check::output<unsigned>(128 * tiles);
    check::call(in, out, tiles);
    std::vector<unsigned> expected = in.values();
    for (unsigned& value : expected)
        value = ~value;
    check::equal(out, expected);
}

LAB_CASE("one lap", 1) {
    check_complement(2);
}

LAB_CASE("four laps", 2) {
    check_complement(8);
}

} // namespace lab_10_drill_3
