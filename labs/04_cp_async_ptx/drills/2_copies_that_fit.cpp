#include "check/check.h"

EXERCISE(04_cp_async_ptx, drills, 2_copies_that_fit) = {
    .title = "Copies that fit",
    .concepts = {"cp-size", "alignment"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_04_drill_2 {

LAB_CASE("all particles move", 1) {
    const auto in = check::random<float>(6 * 64), out = check::output<float>(6 * 64);
    check::call(in, out);
    std::vector<float> expected = in.values();
    for (size_t p = 0; p < 64; ++p)
        for (size_t d = 0; d < 3; ++d)
            expected[6 * p + d] += expected[6 * p + 3 + d];
    check::equal(out, expected);
    check::that(check::stats().cp_async_bytes == 6 * 64 * sizeof(float), "cp.async copies each particle once");
}

} // namespace lab_04_drill_2
