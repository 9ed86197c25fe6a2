#include "check/check.h"

EXERCISE(06_cuda_pipeline, drills, 1_four_calls) = {
    .title = "The four calls",
    .concepts = {"cuda::pipeline", "thread scope", "single stage"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_06_drill_1 {

void check_squares(int chunks) {
    const auto in = check::random<int>(64 * chunks), out = check::output<int>(64);
    check::call(in, out, chunks);
    std::vector<int> expected(64);
    for (size_t i = 0; i < in.size(); ++i)
        expected[i % 64] = static_cast<int>(unsigned(expected[i % 64]) + unsigned(in[i]) * unsigned(in[i]));
    check::equal(out, expected);
    check::that(check::stats().cp_async_bytes == in.size() * sizeof(int), "cp.async copies each number once");
}

LAB_CASE("one chunk", 1) {
    check_squares(1);
}

LAB_CASE("several chunks", 1) {
    check_squares(3);
}

} // namespace lab_06_drill_1
