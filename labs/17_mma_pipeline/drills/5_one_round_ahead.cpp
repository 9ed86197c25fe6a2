#include "check/check.h"

EXERCISE(17_mma_pipeline, drills, 5_one_round_ahead) = {
    .title = "One round ahead",
    .concepts = {"cp.async.wait_group", "loads one round ahead"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_17_drill_5 {

void check_reversed(size_t tiles) {
    const auto in = check::random<int>(128 * tiles), out = check::output<int>(128 * tiles);
    check::call(in, out, static_cast<int>(tiles));
    std::vector<int> expected(128 * tiles);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = in[i / 128 * 128 + 127 - i % 128];
    check::equal(out, expected);
    check::brought_by_copies(in);
}

LAB_CASE("few tiles", 1) {
    for (const size_t tiles : {1, 2, 3})
        check_reversed(tiles);
}

LAB_CASE("no wait is longer than it needs to be", 2) {
    check_reversed(10);
    check::that(check::stats().block_barriers <= 11, "one barrier in each round");
    check::that(!check::copies_end_late() || check::stats().max_groups_in_flight >= 2,
                "the first wait leaves two groups in flight");
    check::that(2 * check::stats().instructions_under_copies >= check::stats().thread_instructions,
                "copies are in flight all the time");
}

} // namespace lab_17_drill_5
