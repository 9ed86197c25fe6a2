#include "check/check.h"

EXERCISE(02_memcpy_async, drills, 3_token) = {
    .title = "Arrive now, wait later",
    .concepts = {"cuda::barrier", "arrive and wait", "token"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_02_drill_3 {

LAB_CASE("both copies are in flight together", 2) {
    const auto in = check::random<int>(128), out = check::output<int>(128);
    check::call(in, out);
    std::vector<int> expected;
    for (int i = 0; i < 128; ++i)
        expected.push_back(in[i / 64 * 64 + 63 - i % 64]);
    check::equal(out, expected);
    if (check::copies_end_late())
        check::that(check::stats().max_phases_in_flight == 2,
                    "the second copy is issued while the first one is in flight");
}

} // namespace lab_02_drill_3
