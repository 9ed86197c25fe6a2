#include "check/check.h"

EXERCISE(02_memcpy_async, drills, 2_copy_and_wait) = {
    .title = "Which wait completes a copy?",
    .concepts = {"cuda::memcpy_async", "cuda::barrier"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_02_drill_2 {

LAB_CASE("the copies have arrived", 2) {
    const auto in = check::random<int>(128), out = check::output<int>(128);
    check::call(in, out);
    std::vector<int> expected;
    for (int t = 0; t < 128; ++t)
        expected.push_back(in[127 - t]);
    check::equal(out, expected);
    check::that(check::stats().cp_async_bytes == 512, "cp.async moves the numbers");
}

} // namespace lab_02_drill_2
