#include <algorithm>
#include <climits>

#include "check/check.h"

EXERCISE(06_cuda_pipeline, drills, 2_wait_prior) = {
    .title = "All but the last",
    .concepts = {"cuda::pipeline_consumer_wait_prior", "two stages"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_06_drill_2 {

void check_largest(int chunks) {
    const auto in = check::random<int>(64 * chunks), out = check::output<int>(64);
    check::call(in, out, chunks);
    std::vector<int> expected(64, INT_MIN);
    for (size_t i = 0; i < in.size(); ++i)
        expected[i % 64] = std::max(expected[i % 64], in[i]);
    check::equal(out, expected);
}

LAB_CASE("any number of chunks", 1) {
    for (const int chunks : {1, 2, 7})
        check_largest(chunks);
}

LAB_CASE("the next chunk stays in flight", 1) {
    check_largest(6);
    check::that(!check::copies_end_late() || check::stats().max_groups_in_flight == 1,
                "the wait leaves one stage in flight");
}

} // namespace lab_06_drill_2
