#include "check/check.h"

EXERCISE(19_multicast_gemm, drills, 3_arrivals_of_a_square) = {
    .title = "Arrivals of a square",
    .concepts = {"remote arrivals", "clusters of two by two"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_19_drill_3 {

constexpr size_t WIDE = 64;

void check_cross(size_t steps) {
    const auto a = check::random<uint32_t>(2 * steps * WIDE), b = check::random<uint32_t>(2 * steps * WIDE);
    const auto out = check::output<uint32_t>(4 * WIDE);
    check::call(a, b, out, static_cast<int>(steps));
    std::vector<uint32_t> expected(out.size());
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t step = 0; step < steps; ++step)
            expected[i] +=
                a[(i / WIDE / 2 * steps + step) * WIDE + i % WIDE] * b[(i / WIDE % 2 * steps + step) * WIDE + i % WIDE];
    check::equal(out, expected, {4, WIDE});
}

LAB_CASE("one step", 1) {
    check_cross(1);
}

LAB_CASE("several laps, and no arrival in vain", 2) {
    constexpr uint64_t steps = 10, blocks = 4, warps = 2;
    check_cross(steps);
    // Each producer arrives once a step, each warp in three blocks.
    check::that(check::stats().mbarrier_arrives <= steps * blocks * (1 + 3 * warps),
                "a warp arrives only in blocks that have loaded what it reads");
}

} // namespace lab_19_drill_3
