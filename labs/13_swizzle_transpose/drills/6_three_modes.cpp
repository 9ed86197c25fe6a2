#include "check/check.h"

EXERCISE(13_swizzle_transpose, drills, 6_three_modes) = {
    .title = "Three modes, one formula",
    .concepts = {"swizzle modes", "the XOR index"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_13_drill_6 {

struct Unit {
    uint32_t word[4];
};

std::vector<Unit> random_units(size_t count) {
    const auto words = check::random_values<uint32_t>(4 * count);
    std::vector<Unit> units(count);
    std::memcpy(units.data(), words.data(), count * sizeof(Unit));
    return units;
}

void check_span(int span) {
    const auto units = static_cast<size_t>(span / 16);
    const auto in = check::device(random_units(32 * units));
    const auto out = check::output<Unit>(32 * units);
    check::call(in, out, span);
    std::vector<Unit> expected(32 * units);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i % units * 32 + i / units] = in[i];
    check::equal(out, expected, {units, 32});
}

LAB_CASE("128 bytes", 1) {
    check_span(128);
}

LAB_CASE("64 and 32 bytes", 2) {
    check_span(64);
    check_span(32);
}

} // namespace lab_13_drill_6
