#include "check/check.h"

EXERCISE(05_wait_group, drills, 3_keep_counting) = {
    .title = "Keep counting at the tail",
    .concepts = {"empty groups"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_05_drill_3 {

void check_columns(int chunks) {
    const auto in = check::random<int>(64 * chunks), out = check::output<int>(64);
    check::call(in, out, chunks);
    std::vector<int> expected(64);
    for (size_t i = 0; i < in.size(); ++i)
        expected[i % 64] = static_cast<int>(unsigned(expected[i % 64]) + unsigned(in[i]));
    check::equal(out, expected);
}

LAB_CASE("many chunks", 1) {
    check_columns(10);
    check::that(!check::copies_end_late() || check::stats().max_groups_in_flight == 2,
                "the waits leave two groups in flight");
}

LAB_CASE("hardly any chunks", 1) {
    for (const int chunks : {1, 2, 3})
        check_columns(chunks);
}

} // namespace lab_05_drill_3
