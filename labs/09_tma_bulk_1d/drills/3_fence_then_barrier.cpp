#include "check/check.h"

EXERCISE(09_tma_bulk_1d, drills, 3_fence_then_barrier) = {
    .title = "Fence, then barrier",
    .concepts = {"fence.proxy.async", "proxies"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_drill_3 {

LAB_CASE("the copy reads what the threads have written", 2) {
    const auto out = check::output<int>(1024);
    check::call(out, 4, -7, 100);
    std::vector<int> expected(1024);
    for (int i = 0; i < 1024; ++i)
        expected[i] = 100 - 7 * i;
    check::equal(out, expected);
    check::that(check::stats().bulk_store_bytes == 1024 * sizeof(int), "cp.async.bulk stores each number once");
}

} // namespace lab_09_drill_3
