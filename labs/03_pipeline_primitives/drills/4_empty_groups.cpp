#include "check/check.h"

EXERCISE(03_pipeline_primitives, drills, 4_empty_groups) = {
    .title = "Keep counting at the end",
    .concepts = {"empty groups", "__pipeline_wait_prior"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_03_drill_4 {

LAB_CASE("the last tile is complete, too", 2) {
    for (const int tiles : {5, 2, 1}) {
        const auto in = check::random<int>(64 * tiles), out = check::output<int>(64 * tiles);
        check::call(in, out, tiles);
        std::vector<int> expected = in.values();
        for (int& value : expected)
            value = -value;
        check::equal(out, expected);
    }
    check::that(check::stats().waits > 0, "the threads wait for their copies");
}

} // namespace lab_03_drill_4
