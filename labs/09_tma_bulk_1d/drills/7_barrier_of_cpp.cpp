#include "check/check.h"

EXERCISE(09_tma_bulk_1d, drills, 7_barrier_of_cpp) = {
    .title = "A C++ barrier with bytes",
    .concepts = {"memcpy_async_tx", "barrier_arrive_tx", "barrier_native_handle"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_drill_7 {

LAB_CASE("the bulk copy completes the C++ barrier", 2) {
    const auto in = check::random<int>(384), out = check::output<int>(384);
    check::call(in, out, 3);
    std::vector<int> expected(384);
    for (size_t i = 0; i < 384; ++i)
        expected[i] = static_cast<int>(unsigned(in[i / 128 * 128 + (i + 1) % 128]) - unsigned(in[i]));
    check::equal(out, expected);
    check::that(check::stats().bulk_load_bytes == 384 * sizeof(int), "a bulk copy loads each number once");
}

} // namespace lab_09_drill_7
