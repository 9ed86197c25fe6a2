#include "check/check.h"

EXERCISE(07_split_barrier, drills, 2_count) = {
    .title = "How many arrivals?",
    .concepts = {"expected count", "__mbarrier_init"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_07_drill_2 {

LAB_CASE("every entry is filled before it is read", 2) {
    const auto in = check::random<int>(32), out = check::output<int>(64);
    std::vector<int> index(64), expected(64);
    for (size_t i = 0; i < 64; ++i) {
        index[i] = static_cast<int>(check::random_between(0, 31));
        expected[i] = static_cast<int>(unsigned(in[index[i]]) * unsigned(in[index[i]]));
    }
    check::call(in, check::device(index), out);
    check::equal(out, expected);
}

} // namespace lab_07_drill_2
