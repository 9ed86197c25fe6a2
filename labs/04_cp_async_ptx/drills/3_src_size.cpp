#include "check/check.h"

EXERCISE(04_cp_async_ptx, drills, 3_src_size) = {
    .title = "How many bytes exist?",
    .concepts = {"src-size", "zero fill"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_04_drill_3 {

void check_sums(int n) {
    const size_t threads = size_t(n + 511) / 512 * 128;
    const auto in = check::random<uint32_t>(n), out = check::output<uint32_t>(threads);
    check::call(in, out, n);
    std::vector<uint32_t> expected(threads);
    for (size_t i = 0; i < in.size(); ++i)
        expected[i / 4] += in[i];
    check::equal(out, expected);
}

LAB_CASE("the array ends between two threads", 1) {
    check_sums(4 * 100);
}

LAB_CASE("the array ends inside a copy", 1) {
    for (const int rest : {1, 2, 3})
        check_sums(512 + 4 * 9 + rest);
}

} // namespace lab_04_drill_3
