#include "check/check.h"

EXERCISE(09_tma_bulk_1d, drills, 2_announce_and_load) = {
    .title = "Announce, then load",
    .concepts = {"cp.async.bulk", "arrive.expect_tx"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_drill_2 {

LAB_CASE("each block loads its row with one bulk copy", 2) {
    const auto in = check::random<int>(640), out = check::output<int>(640);
    check::call(in, out, 5);
    std::vector<int> expected(640);
    for (size_t i = 0; i < 640; ++i)
        expected[i] = in[i / 128 * 128 + 127 - i % 128];
    check::equal(out, expected);
    check::that(check::stats().bulk_load_bytes == 640 * sizeof(int), "cp.async.bulk loads each number once");
}

} // namespace lab_09_drill_2
