#include "check/check.h"

EXERCISE(06_cuda_pipeline, hunts, 2_right_with_one_block) = {
    .title = "Right with one block",
    .concepts = {"stage index", "partitioned"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_06_hunt_2 {

void check_gamma(int tiles, int blocks) {
    const auto in = check::random<uint32_t>(128 * tiles), table = check::random<uint32_t>(256);
    const auto out = check::output<uint32_t>(128 * tiles);
    check::call(in, table, out, tiles, blocks);
    std::vector<uint32_t> expected(in.size());
    for (size_t i = 0; i < in.size(); ++i)
        expected[i] = table[in[i] % 256];
    check::equal(out, expected);
}

LAB_CASE("one block", 1) {
    check_gamma(9, 1);
}

LAB_CASE("several blocks", 2) {
    check_gamma(17, 3);
}

} // namespace lab_06_hunt_2
