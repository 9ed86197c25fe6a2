#include "check/check.h"

EXERCISE(03_pipeline_primitives, drills, 6_shared_address) = {
    .title = "An address in shared memory",
    .concepts = {"state spaces", "__cvta_generic_to_shared"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_03_drill_6 {

LAB_CASE("the copies reach shared memory", 1) {
    const auto in = check::random<int>(64), out = check::output<int>(64);
    check::call(in, out);
    std::vector<int> expected = in.values();
    for (int& value : expected)
        value = -value;
    check::equal(out, expected);
}

} // namespace lab_03_drill_6
