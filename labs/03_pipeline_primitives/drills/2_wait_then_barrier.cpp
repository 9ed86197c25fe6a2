#include "check/check.h"

EXERCISE(03_pipeline_primitives, drills, 2_wait_then_barrier) = {
    .title = "First wait, then meet",
    .concepts = {"__pipeline_wait_prior", "__syncthreads"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_03_drill_2 {

LAB_CASE("the copies of all threads are complete", 1) {
    const auto in = check::random<int>(128), out = check::output<int>(128);
    check::call(in, out);
    std::vector<int> expected;
    for (int t = 0; t < 128; ++t)
        expected.push_back(in[127 - t]);
    check::equal(out, expected);
}

} // namespace lab_03_drill_2
