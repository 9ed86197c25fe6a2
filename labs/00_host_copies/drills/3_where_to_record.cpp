#include "check/check.h"

EXERCISE(00_host_copies, drills, 3_where_to_record) = {
    .title = "Where to record?",
    .concepts = {"cudaEventRecord", "cudaEventSynchronize"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_00_drill_3 {

LAB_CASE("the event stands for the download", 2) {
    constexpr int N = 256;
    std::vector<int> values = check::random_values<int>(N), squares;
    int total = 0;
    for (int& value : values) {
        value %= 1000;
        squares.push_back(value * value);
        total += value * value;
    }
    const auto in = check::device(values), out = check::output<int>(N), x = check::zeros<int>(N);
    const auto copy = check::output<int>(N, check::Place::pinned), sum = check::output<int>(1, check::Place::pageable);
    check::call(in, out, x, copy, sum);
    check::equal(out, squares);
    check::equal(copy, squares);
    check::equal(sum, {total});
}

} // namespace lab_00_drill_3
