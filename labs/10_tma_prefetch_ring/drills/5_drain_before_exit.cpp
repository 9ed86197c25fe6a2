#include "check/check.h"

EXERCISE(10_tma_prefetch_ring, drills, 5_drain_before_exit) = {
    .title = "Drain before you leave",
    .concepts = {"exit-before-completion", "bytes in flight"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_10_drill_5 {

void check_find(int tiles, int at) {
    std::vector<int> values = check::random_values<int>(128 * tiles);
    for (int& value : values)
        value |= 1;
    if (at >= 0)
        values[128 * at + 77] = 42;
    const auto in = check::device(values);
    const auto found = check::output<int>(1);
    check::call(in, tiles, 42, found);
    check::equal(found, {at});
}

LAB_CASE("not found", 1) {
    check_find(6, -1);
}

LAB_CASE("found early", 1) {
    check_find(9, 2);
}

LAB_CASE("found in the last tile", 1) {
    check_find(5, 4);
}

} // namespace lab_10_drill_5
