#include "check/check.h"

EXERCISE(19_multicast_gemm, drills, 2_masks_of_a_square) = {
    .title = "Masks of a square",
    .concepts = {"multicast masks", "clusters of two by two"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_19_drill_2 {

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

LAB_CASE("each half is loaded once", 2) {
    constexpr size_t steps = 7;
    check_cross(steps);
    check::that(check::stats().multicast_bytes == 4 * steps * WIDE * sizeof(uint32_t),
                "multicast copies bring each half to two blocks, and one block loads it");
}

} // namespace lab_19_drill_2
