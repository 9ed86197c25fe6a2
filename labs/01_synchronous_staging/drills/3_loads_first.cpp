#include <algorithm>

#include "check/check.h"

EXERCISE(01_synchronous_staging, drills, 3_loads_first) = {
    .title = "Loads first, stores afterwards",
    .concepts = {"batched loads", "__syncthreads"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_01_drill_3 {

LAB_CASE("the array is reversed", 2) {
    const auto x = check::random<int>(512);
    std::vector<int> expected = x.values();
    std::reverse(expected.begin(), expected.end());
    check::call(x);
    check::equal(x, expected);
}

} // namespace lab_01_drill_3
