#include "check/check.h"

EXERCISE(05_wait_group, drills, 2_one_group_each) = {
    .title = "One group each",
    .concepts = {"cp.async.commit_group"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_05_drill_2 {

LAB_CASE("each chunk is complete when it is used", 1) {
    const auto prices = check::random<int>(384), quantities = check::random<int>(384), out = check::output<int>(384);
    check::call(prices, quantities, out);
    std::vector<int> expected(384);
    for (size_t i = 0; i < 384; ++i)
        expected[i] = static_cast<int>(unsigned(prices[i]) * unsigned(quantities[i]));
    check::equal(out, expected);
    check::that(check::stats().cp_async_bytes == 2 * 384 * sizeof(int), "cp.async copies each number once");
}

} // namespace lab_05_drill_2
