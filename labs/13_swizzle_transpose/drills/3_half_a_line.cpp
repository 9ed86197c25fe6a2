#include "check/check.h"

EXERCISE(13_swizzle_transpose, drills, 3_half_a_line) = {
    .title = "Half a line",
    .concepts = {"64-byte swizzle", "lines and rows"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_13_drill_3 {

struct Unit {
    uint32_t word[4];
};

std::vector<Unit> random_units(size_t count) {
    const auto words = check::random_values<uint32_t>(4 * count);
    std::vector<Unit> units(count);
    std::memcpy(units.data(), words.data(), count * sizeof(Unit));
    return units;
}

LAB_CASE("32 rows", 2) {
    const auto in = check::device(random_units(128));
    const auto out = check::output<Unit>(128);
    check::call(in, out);
    std::vector<Unit> expected(128);
    for (size_t i = 0; i < 128; ++i)
        expected[i % 4 * 32 + i / 4] = in[i];
    check::equal(out, expected, {4, 32});
}

} // namespace lab_13_drill_3
