#include "check/check.h"

EXERCISE(13_swizzle_transpose, drills, 5_written_for_the_store) = {
    .title = "Written for the store",
    .concepts = {"swizzled stores", "swizzle modes"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_13_drill_5 {

struct Unit {
    uint32_t word[4];
};

std::vector<Unit> random_units(size_t count) {
    const auto words = check::random_values<uint32_t>(4 * count);
    std::vector<Unit> units(count);
    std::memcpy(units.data(), words.data(), count * sizeof(Unit));
    return units;
}

LAB_CASE("three tiles without bank conflicts", 3) {
    const auto in = check::device(random_units(192));
    const auto out = check::output<Unit>(192);
    check::call(in, out, 3);
    std::vector<Unit> expected(192);
    for (size_t i = 0; i < 192; ++i)
        expected[i / 64 * 64 + i % 8 * 8 + i % 64 / 8] = in[i];
    check::equal(out, expected, {24, 8});
    const auto& seen = check::stats();
    check::that(seen.swizzled_bytes == 192 * sizeof(Unit), "the map of the store swizzles");
    check::that(seen.shared_bank_cycles == seen.shared_accesses, "no access to shared memory has bank conflicts");
}

} // namespace lab_13_drill_5
