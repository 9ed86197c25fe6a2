#include "check/check.h"

EXERCISE(11_tensor_map_2d, drills, 6_another_address) = {
    .title = "The same map, another array",
    .concepts = {"cuTensorMapReplaceAddress", "prefetch.tensormap"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_11_drill_6 {

LAB_CASE("both arrays", 1) {
    constexpr int ROWS = 28, TILES = 4;
    const auto first = check::random<unsigned>(32 * ROWS), second = check::random<unsigned>(32 * ROWS);
    const auto sums = check::output<unsigned>(2 * TILES);
    std::vector<unsigned> expected(2 * TILES);
    for (int i = 0; i < 32 * ROWS; ++i) {
        expected[i / 256] += first[i];
        expected[TILES + i / 256] += second[i];
    }
    check::call(first, second, ROWS, sums);
    check::equal(sums, expected);
}

} // namespace lab_11_drill_6
