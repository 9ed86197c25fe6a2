#include "check/check.h"

EXERCISE(16_capstone, drills, 2_two_roles) = {
    .title = "Two roles",
    .concepts = {"warp specialisation", "ring of mbarriers"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_16_drill_2 {

std::vector<uint32_t> tile_sums(const std::vector<uint32_t>& in, size_t rows, size_t columns) {
    const size_t across = (columns + 31) / 32;
    std::vector<uint32_t> sums((rows + 31) / 32 * across);
    for (size_t i = 0; i < in.size(); ++i)
        sums[i / columns / 32 * across + i % columns / 32] += in[i];
    return sums;
}

LAB_CASE("three laps of the ring", 3) {
    constexpr size_t rows = 160, columns = 140;
    const auto in = check::random<uint32_t>(rows * columns);
    const std::vector<uint32_t> expected = tile_sums(in.values(), rows, columns);
    const auto sums = check::zeros<uint32_t>(expected.size());
    check::call(in, sums, static_cast<int>(rows), static_cast<int>(columns));
    check::equal(sums, expected);
    check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 3,
                "several stages are in flight at once");
}

} // namespace lab_16_drill_2
