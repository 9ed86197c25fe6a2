#include "check/check.h"

EXERCISE(07_split_barrier, drills, 6_native_handle) = {
    .title = "Two interfaces, one barrier",
    .concepts = {"barrier_native_handle", "__pipeline_arrive_on"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_07_drill_6 {

LAB_CASE("the row is mirrored", 2) {
    const auto in = check::random<int>(64), out = check::output<int>(64);
    check::call(in, out);
    std::vector<int> expected(in.values().rbegin(), in.values().rend());
    check::equal(out, expected);
    check::that(check::stats().cp_async_bytes == 64 * sizeof(int), "cp.async copies each number once");
    check::that(check::stats().waits == 0, "no thread waits for its own copies");
}

} // namespace lab_07_drill_6
