#include "check/check.h"

EXERCISE(04_cp_async_ptx, drills, 1_one_instruction) = {
    .title = "One instruction",
    .concepts = {"cp.async", "inline PTX"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_04_drill_1 {

void check_reverse() {
    const auto in = check::random<uint32_t>(512), out = check::output<uint32_t>(512);
    check::call(in, out);
    std::vector<uint32_t> expected(512);
    for (size_t i = 0; i < 512; ++i)
        expected[i] = in[i ^ 3];
    check::equal(out, expected);
}

LAB_CASE("each four numbers are reversed", 1) {
    check_reverse();
}

LAB_CASE("the numbers arrive by cp.async", 1) {
    check_reverse();
    check::that(check::stats().cp_async_bytes == 512 * sizeof(uint32_t), "cp.async copies each number once");
    check::that(check::stats().staged_bytes == 0, "no number is staged through registers");
}

} // namespace lab_04_drill_1
