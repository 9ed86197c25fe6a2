#include "check/check.h"

EXERCISE(17_mma_pipeline, drills, 4_transposed) = {
    .title = "An operand that has to be transposed",
    .concepts = {"ldmatrix.trans"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_17_drill_4 {

LAB_CASE("the operands of B", 1) {
    const auto in = check::random<uint16_t>(256);
    const auto out = check::output<uint32_t>(128);
    check::call(in, out);
    std::vector<uint32_t> expected(128);
    for (size_t i = 0; i < 4; ++i)
        for (size_t lane = 0; lane < 32; ++lane) {
            const size_t k = i % 2 * 8 + lane % 4 * 2, n = i / 2 * 8 + lane / 4;
            expected[32 * i + lane] = in[16 * k + n] | uint32_t{in[16 * (k + 1) + n]} << 16;
        }
    check::equal(out, expected);
    check::that(check::stats().shared_load_bytes == 512, "one ldmatrix loads all four matrices");
}

} // namespace lab_17_drill_4
