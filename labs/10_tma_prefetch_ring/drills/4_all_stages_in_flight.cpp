#include "check/check.h"

EXERCISE(10_tma_prefetch_ring, drills, 4_all_stages_in_flight) = {
    .title = "All stages in flight",
    .concepts = {"bytes in flight", "prologue"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_10_drill_4 {

void check_scale(int tiles) {
    const auto in = check::random<int>(128 * tiles), out = check::output<int>(128 * tiles);
    check::call(in, out, tiles, -3);
    std::vector<int> expected(128 * tiles);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = static_cast<int>(0u - 3 * unsigned(in[i]));
    check::equal(out, expected);
}

LAB_CASE("fewer tiles than stages", 1) {
    check_scale(2);
}

LAB_CASE("every stage is in flight", 2) {
    check_scale(10);
    check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 4,
                "a load is in flight in every stage");
}

} // namespace lab_10_drill_4
