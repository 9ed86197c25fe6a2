#include "check/check.h"

EXERCISE(01_synchronous_staging, drills, 6_flag) = {
    .title = "A flag with two fences",
    .concepts = {"cuda::atomic_thread_fence", "release and acquire"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_01_drill_6 {

LAB_CASE("every thread sees the message", 2) {
    const auto in = check::random<int>(4), out = check::output<int>(127);
    check::call(in, out);
    std::vector<int> expected;
    for (int t = 1; t < 128; ++t)
        expected.push_back(in[t % 4]);
    check::equal(out, expected);
}

} // namespace lab_01_drill_6
