#include "check/check.h"

EXERCISE(13_swizzle_transpose, drills, 1_count_the_turns) = {
    .title = "Count the turns",
    .concepts = {"bank conflicts", "XOR"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_13_drill_1 {

struct Unit {
    uint32_t word[4];
};

std::vector<Unit> random_units(size_t count) {
    const auto words = check::random_values<uint32_t>(4 * count);
    std::vector<Unit> units(count);
    std::memcpy(units.data(), words.data(), count * sizeof(Unit));
    return units;
}

LAB_CASE("no bank conflicts", 2) {
    const auto in = check::device(random_units(64));
    const auto out = check::output<Unit>(64);
    check::call(in, out);
    std::vector<Unit> expected(64);
    for (size_t i = 0; i < 64; ++i)
        expected[i % 8 * 8 + i / 8] = in[i];
    check::equal(out, expected, {8, 8});
    const auto& seen = check::stats();
    check::that(seen.shared_store_bytes == 64 * sizeof(Unit), "the tile is transposed in shared memory");
    check::that(seen.shared_bank_cycles == seen.shared_accesses, "no access to shared memory has bank conflicts");
}

} // namespace lab_13_drill_1
