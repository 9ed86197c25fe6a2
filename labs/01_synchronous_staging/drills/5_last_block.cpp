#include "check/check.h"

EXERCISE(01_synchronous_staging, drills, 5_last_block) = {
    .title = "The scope of a fence",
    .concepts = {"__threadfence", "thread scopes"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_01_drill_5 {

LAB_CASE("the last block sees all parts", 2) {
    constexpr int BLOCKS = 12;
    std::vector<int> values = check::random_values<int>(BLOCKS * 32);
    int total = 0;
    for (int& value : values)
        total += value %= 1000;
    const auto in = check::device(values), parts = check::zeros<int>(BLOCKS);
    const auto counted = check::zeros<unsigned>(1);
    const auto out = check::output<int>(1);
    check::call(in, parts, counted, out, BLOCKS);
    check::equal(out, {total});
}

} // namespace lab_01_drill_5
