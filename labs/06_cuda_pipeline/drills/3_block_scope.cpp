#include "check/check.h"

EXERCISE(06_cuda_pipeline, drills, 3_block_scope) = {
    .title = "From a thread to the block",
    .concepts = {"block scope", "pipeline_shared_state", "unified"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_06_drill_3 {

LAB_CASE("every row is mirrored", 1) {
    const auto in = check::random<int>(128), out = check::output<int>(128);
    check::call(in, out, 2);
    std::vector<int> expected(128);
    for (size_t i = 0; i < 128; ++i)
        expected[i] = in[i ^ 63];
    check::equal(out, expected);
}

LAB_CASE("the pipeline makes the threads meet", 1) {
    const auto in = check::random<int>(64), out = check::output<int>(64);
    check::call(in, out, 1);
    check::that(check::stats().cp_async_bytes == 64 * sizeof(int), "cp.async copies each number once");
    check::that(check::stats().mbarrier_waits > 0, "threads wait on the barriers of the stage");
    check::that(check::stats().waits == 0, "no thread waits for its own copies");
}

} // namespace lab_06_drill_3
