#include "check/check.h"

EXERCISE(04_cp_async_ptx, drills, 4_ignore_src) = {
    .title = "A predicate in inline PTX",
    .concepts = {"ignore-src", "predicates"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_04_drill_4 {

void check_gather(int n, int hole_every) {
    const auto table = check::random<float>(50), out = check::output<float>(n);
    std::vector<int> index(n);
    std::vector<float> expected(n);
    for (int i = 0; i < n; ++i) {
        index[i] = i % hole_every == 0 ? -1 - i % 7 : static_cast<int>(check::random_between(0, 49));
        expected[i] = index[i] < 0 ? 0 : table[index[i]];
    }
    check::call(table, check::device(index), out, n);
    check::equal(out, expected);
    check::that(check::stats().staged_bytes == 0, "no entry is staged through registers");
}

LAB_CASE("holes become zeros", 1) {
    check_gather(128, 3);
}

LAB_CASE("any number of entries", 1) {
    check_gather(200, 5);
    check_gather(7, 1);
}

} // namespace lab_04_drill_4
