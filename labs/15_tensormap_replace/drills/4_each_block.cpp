#include "check/check.h"

EXERCISE(15_tensormap_replace, drills, 4_each_block) = {
    .title = "Each block acquires",
    .concepts = {"acquire in each block", "clusters"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_15_drill_4 {

LAB_CASE("two clusters", 2) {
    const auto in = check::random<float>(5 * 256), out = check::output<float>(2 * 256);
    std::vector<uint64_t> parts;
    std::vector<float> expected;
    for (const size_t first : {4, 1}) {
        parts.push_back((in + first * 256).address());
        expected.insert(expected.end(), in.begin() + static_cast<int64_t>(first) * 256,
                        in.begin() + static_cast<int64_t>(first + 1) * 256);
    }
    check::call(check::device(parts), out, 2);
    check::equal(out, expected, {16, 32});
}

} // namespace lab_15_drill_4
