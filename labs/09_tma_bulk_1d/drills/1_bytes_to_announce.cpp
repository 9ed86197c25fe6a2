#include "check/check.h"

EXERCISE(09_tma_bulk_1d, drills, 1_bytes_to_announce) = {
    .title = "How many bytes?",
    .concepts = {"expect_tx"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_drill_1 {

void check_negate(int n) {
    const auto in = check::random<float>(n), out = check::output<float>(n);
    check::call(in, out, n);
    std::vector<float> expected = in.values();
    for (float& value : expected)
        value = -value;
    check::equal(out, expected);
}

LAB_CASE("whole parts", 1) {
    check_negate(768);
}

LAB_CASE("a shorter last part", 1) {
    check_negate(1000);
}

} // namespace lab_09_drill_1
