#include "check/check.h"

EXERCISE(06_cuda_pipeline, hunts, 1_a_second_producer) = {
    .title = "A second producer warp",
    .concepts = {"producer_count", "partitioned"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_06_hunt_1 {

void check_sum(int tiles) {
    const auto in = check::random<uint32_t>(256 * tiles), total = check::output<uint32_t>(1);
    check::call(in, total, tiles);
    uint32_t expected = 0;
    for (size_t i = 0; i < in.size(); ++i)
        expected += in[i] * static_cast<uint32_t>(2 * (i % 256) + 1);
    check::equal(total, {expected});
}

LAB_CASE("one tile", 1) {
    check_sum(1);
}

LAB_CASE("several laps in each block", 2) {
    check_sum(3 * 7 + 1);
}

} // namespace lab_06_hunt_1
