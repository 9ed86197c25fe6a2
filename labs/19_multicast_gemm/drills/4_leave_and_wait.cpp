#include "check/check.h"

EXERCISE(19_multicast_gemm, drills, 4_leave_and_wait) = {
    .title = "Leave and wait",
    .concepts = {"the two halves of a cluster barrier", "the life of a block"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_19_drill_4 {

constexpr size_t WIDE = 64;

void check_weighed(size_t blocks, size_t steps) {
    const auto in = check::random<uint32_t>(blocks * steps * WIDE), weights = check::random<uint32_t>(steps * WIDE);
    const auto out = check::output<uint32_t>(blocks * WIDE);
    check::call(in, weights, out, static_cast<int>(blocks), static_cast<int>(steps));
    std::vector<uint32_t> expected(out.size());
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t step = 0; step < steps; ++step)
            expected[i] += in[(i / WIDE * steps + step) * WIDE + i % WIDE] * weights[step * WIDE + i % WIDE];
    check::equal(out, expected, {blocks, WIDE});
}

LAB_CASE("one lap of the ring", 1) {
    check_weighed(2, 3);
}

LAB_CASE("several clusters", 2) {
    check_weighed(6, 7);
}

} // namespace lab_19_drill_4
