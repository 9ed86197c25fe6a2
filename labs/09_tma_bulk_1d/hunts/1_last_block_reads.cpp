#include "check/check.h"

EXERCISE(09_tma_bulk_1d, hunts, 1_last_block_reads) = {
    .title = "The last block reads the totals",
    .concepts = {"cp.reduce.async.bulk", "wait_group"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_hunt_1 {

LAB_CASE("totals and the largest of them", 3) {
    constexpr int ROWS = 24, COLUMNS = 128;
    std::vector<int> values(ROWS * COLUMNS);
    for (int& value : values)
        value = static_cast<int>(check::random_between(-1000, 1000));
    const auto matrix = check::device(values);
    const auto totals = check::output<int>(COLUMNS), largest = check::output<int>(1);
    std::vector<int> expected(COLUMNS);
    for (size_t i = 0; i < values.size(); ++i)
        expected[i % COLUMNS] += values[i];
    check::call(matrix, ROWS, totals, largest);
    check::equal(totals, expected);
    check::equal(largest, {*std::max_element(expected.begin(), expected.end())});
    check::that(check::stats().bulk_store_bytes == 4 * COLUMNS * sizeof(int), "each block adds its sums by bulk");
}

} // namespace lab_09_hunt_1
