#include "check/check.h"

EXERCISE(16_capstone, drills, 3_four_by_four) = {
    .title = "Four by four",
    .concepts = {"swizzle", "named barriers", "tile stores"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_16_drill_3 {

LAB_CASE("a matrix of 44 x 60", 3) {
    constexpr size_t rows = 44, columns = 60;
    const auto in = check::random<uint32_t>(rows * columns), out = check::output<uint32_t>(rows * columns);
    check::call(in, out, static_cast<int>(rows), static_cast<int>(columns));
    std::vector<uint32_t> expected(rows * columns);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i % columns * rows + i / columns] = in[i];
    check::equal(out, expected, {columns, rows});
    const auto& seen = check::stats();
    check::that(seen.tensor_store_bytes == rows * columns * sizeof(uint32_t), "tensor copies store the result");
    check::that(seen.shared_bank_cycles <= seen.shared_accesses + seen.shared_accesses / 50,
                "no access to a tile has bank conflicts");
}

} // namespace lab_16_drill_3
