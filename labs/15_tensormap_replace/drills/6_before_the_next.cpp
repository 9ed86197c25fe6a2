#include "check/check.h"

EXERCISE(15_tensormap_replace, drills, 6_before_the_next) = {
    .title = "Before the next matrix",
    .concepts = {"changing a map again", "wait_group.read"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_15_drill_6 {

LAB_CASE("five matrices", 2) {
    const auto out = check::output<float>(5 * 128);
    std::vector<uint64_t> matrices;
    std::vector<float> expected(out.size());
    for (size_t m = 0; m < 5; ++m)
        matrices.push_back((out + (4 - m) * 128).address());
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = static_cast<float>((4 - i / 128) * 1000 + i % 128);
    check::call(check::device(matrices), 5);
    check::equal(out, expected, {20, 32});
}

} // namespace lab_15_drill_6
