#include "check/check.h"

EXERCISE(12_tma_halo_store, drills, 5_the_next_window) = {
    .title = "The next window",
    .concepts = {"prefetch", "parity"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_12_drill_5 {

void check_sums(size_t rows) {
    const auto table = check::random<float>(rows * 64), sums = check::output<float>(64);
    check::call(table, sums, static_cast<int>(rows));
    std::vector<float> expected(64);
    for (size_t i = 0; i < table.size(); ++i)
        expected[i % 64] += table[i];
    check::equal(sums, expected);
}

LAB_CASE("the sums", 1) {
    check_sums(4);
    check_sums(30);
}

LAB_CASE("the next window is in flight", 2) {
    check_sums(32);
    check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 2,
                "the load of the next window is in flight while the block waits for this one");
}

} // namespace lab_12_drill_5
