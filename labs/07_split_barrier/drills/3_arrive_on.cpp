#include "check/check.h"

EXERCISE(07_split_barrier, drills, 3_arrive_on) = {
    .title = "An arrival for copies",
    .concepts = {"__pipeline_arrive_on"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_07_drill_3 {

void check_pairs() {
    const auto in = check::random<int>(32), out = check::output<int>(32);
    check::call(in, out);
    std::vector<int> expected = in.values();
    for (size_t i = 31; i > 0; --i)
        expected[i] = static_cast<int>(unsigned(in[i]) + unsigned(in[i - 1]));
    check::equal(out, expected);
}

LAB_CASE("pairs of copied numbers", 1) {
    check_pairs();
}

LAB_CASE("the copying warp does not wait", 1) {
    check_pairs();
    check::that(check::stats().cp_async_bytes == 32 * sizeof(int), "cp.async copies each number once");
    check::that(check::stats().waits == 0, "no thread waits for its own copies");
}

} // namespace lab_07_drill_3
