#include "check/check.h"

EXERCISE(17_mma_pipeline, drills, 1_which_row) = {
    .title = "Which row does a lane pass?",
    .concepts = {"ldmatrix"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_17_drill_1 {

LAB_CASE("the operand A of mma.sync", 1) {
    const auto in = check::random<uint16_t>(256);
    const auto out = check::output<uint32_t>(128);
    check::call(in, out);
    std::vector<uint32_t> expected(128);
    for (size_t i = 0; i < 4; ++i)
        for (size_t lane = 0; lane < 32; ++lane) {
            const size_t at = (i % 2 * 8 + lane / 4) * 16 + i / 2 * 8 + lane % 4 * 2;
            expected[32 * i + lane] = in[at] | uint32_t{in[at + 1]} << 16;
        }
    check::equal(out, expected);
    check::that(check::stats().shared_load_bytes == 512, "one ldmatrix loads all four matrices");
}

} // namespace lab_17_drill_1
