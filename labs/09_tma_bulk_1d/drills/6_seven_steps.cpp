#include "check/check.h"

EXERCISE(09_tma_bulk_1d, drills, 6_seven_steps) = {
    .title = "Seven steps",
    .concepts = {"read, modify, write", "fence.proxy.async", "bulk groups"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_drill_6 {

void check_multiply(int tiles) {
    const auto data = check::random<int>(128 * tiles);
    check::call(data, tiles, 5);
    std::vector<int> expected = data.values();
    for (int& value : expected)
        value = static_cast<int>(5 * unsigned(value));
    check::equal(data, expected);
    check::that(check::stats().bulk_load_bytes == expected.size() * sizeof(int), "each number is loaded once");
    check::that(check::stats().bulk_store_bytes == expected.size() * sizeof(int), "each number is stored once");
}

LAB_CASE("one tile", 1) {
    check_multiply(1);
}

LAB_CASE("four tiles through one buffer", 2) {
    check_multiply(4);
}

} // namespace lab_09_drill_6
