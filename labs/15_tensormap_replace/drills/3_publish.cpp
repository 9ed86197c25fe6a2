#include "check/check.h"

EXERCISE(15_tensormap_replace, drills, 3_publish) = {
    .title = "Publish a map",
    .concepts = {"tensormap.cp_fenceproxy", "release and acquire of a map"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_15_drill_3 {

LAB_CASE("three blocks", 2) {
    const auto in = check::random<float>(6 * 128), out = check::output<float>(3 * 128);
    std::vector<uint64_t> rows;
    std::vector<float> expected;
    for (const size_t first : {3, 0, 5}) {
        rows.push_back((in + first * 128).address());
        expected.insert(expected.end(), in.begin() + static_cast<int64_t>(first) * 128,
                        in.begin() + static_cast<int64_t>(first + 1) * 128);
    }
    check::call(check::device(rows), out, 3);
    check::equal(out, expected, {12, 32});
}

} // namespace lab_15_drill_3
