#include "check/check.h"

EXERCISE(08_mbarrier_parity, drills, 5_copies_arrive) = {
    .title = "Let the copies arrive",
    .concepts = {"cp.async.mbarrier.arrive", ".noinc"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_08_drill_5 {

LAB_CASE("the tile is read when it has arrived", 1) {
    const auto in = check::random<int>(128), out = check::output<int>(128);
    check::call(in, out);
    std::vector<int> expected(128);
    for (size_t i = 0; i < 128; ++i)
        expected[i] = in[(i + 1) % 128];
    check::equal(out, expected);
    check::that(check::stats().waits == 0, "no thread waits for its own copies: the barrier tracks them");
}

} // namespace lab_08_drill_5
