#include "check/check.h"

EXERCISE(03_pipeline_primitives, drills, 5_two_buffers) = {
    .title = "Copy the next, compute this one",
    .concepts = {"double buffering", "__syncthreads"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_03_drill_5 {

LAB_CASE("each tile is reversed", 2) {
    for (const int tiles : {6, 1}) {
        const int n = 128 * tiles;
        const auto in = check::random<int>(n), out = check::output<int>(n);
        check::call(in, out, tiles);
        std::vector<int> expected;
        for (int i = 0; i < n; ++i)
            expected.push_back(in[i / 128 * 128 + 127 - i % 128]);
        check::equal(out, expected);
    }
}

} // namespace lab_03_drill_5
