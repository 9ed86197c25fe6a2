#include "check/check.h"

EXERCISE(12_tma_halo_store, drills, 3_store_a_tile) = {
    .title = "Store a tile",
    .concepts = {"tensor stores", "fence.proxy.async"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_12_drill_3 {

LAB_CASE("a table that is not a multiple of the tile", 2) {
    constexpr size_t rows = 11, columns = 44;
    const auto table = check::output<float>(rows * columns);
    check::call(table, static_cast<int>(rows), static_cast<int>(columns));
    std::vector<float> expected(rows * columns);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = static_cast<float>(i % columns * (i / columns));
    check::equal(table, expected, {rows, columns});
    check::that(check::stats().tensor_store_bytes == rows * columns * sizeof(float),
                "cp.async.bulk.tensor stores each value of the table once");
}

} // namespace lab_12_drill_3
