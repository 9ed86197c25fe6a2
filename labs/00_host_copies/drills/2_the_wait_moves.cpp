#include <algorithm>

#include "check/check.h"

EXERCISE(00_host_copies, drills, 2_the_wait_moves) = {
    .title = "The wait moves",
    .concepts = {"cudaMemcpyAsync", "cudaStreamSynchronize"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_00_drill_2 {

LAB_CASE("the host launches the other kernel while the copy is in flight", 2) {
    using Kind = check::HostOperation::Kind;
    constexpr int N = 512;
    std::vector<int> values = check::random_values<int>(N), squares, negated;
    for (int& value : values)
        value %= 10000;
    for (const int value : values) {
        squares.push_back(value * value);
        negated.push_back(-value);
    }
    const auto in = check::device(values), out = check::output<int>(N), other = check::output<int>(N);
    const auto copy = check::output<int>(N, check::Place::pinned),
               largest = check::output<int>(1, check::Place::pageable);
    check::call(in, out, other, copy, largest);
    check::equal(out, squares);
    check::equal(other, negated);
    check::equal(largest, {*std::max_element(squares.begin(), squares.end())});
    int launched = 0;
    for (const auto& operation : check::operations()) {
        launched += operation.kind == Kind::launch;
        check::that(operation.kind != Kind::host_wait || launched == 2,
                    "the host launches both kernels before it waits");
    }
}

} // namespace lab_00_drill_2
