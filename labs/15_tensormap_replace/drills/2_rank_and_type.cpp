#include "check/check.h"

EXERCISE(15_tensormap_replace, drills, 2_rank_and_type) = {
    .title = "Rank and type",
    .concepts = {"rank minus one", "PTX's own numbers"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_15_drill_2 {

LAB_CASE("19 rows", 2) {
    const auto in = check::random<uint16_t>(19 * 32), out = check::output<uint16_t>(19 * 32);
    check::call(in, out, 19);
    std::vector<uint16_t> expected = in.values();
    for (uint16_t& bits : expected)
        bits ^= 0x8000;
    check::equal(out, expected, {19, 32});
}

} // namespace lab_15_drill_2
