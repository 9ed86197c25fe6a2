#include "check/check.h"

EXERCISE(13_swizzle_transpose, drills, 4_base_offset) = {
    .title = "The base offset",
    .concepts = {"base offset", "the XOR index"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_13_drill_4 {

struct Unit {
    uint32_t word[4];
};

std::vector<Unit> random_units(size_t count) {
    const auto words = check::random_values<uint32_t>(4 * count);
    std::vector<Unit> units(count);
    std::memcpy(units.data(), words.data(), count * sizeof(Unit));
    return units;
}

LAB_CASE("a tile behind other data", 2) {
    const auto in = check::device(random_units(128));
    const auto out = check::output<Unit>(128);
    const auto counts = check::output<uint32_t>(96);
    check::call(in, out, counts);
    std::vector<Unit> expected(128);
    for (size_t i = 0; i < 128; ++i)
        expected[i % 8 * 16 + i / 8] = in[i];
    check::equal(out, expected, {8, 16});
}

} // namespace lab_13_drill_4
