#include "check/check.h"

EXERCISE(12_tma_halo_store, drills, 4_when_is_it_free) = {
    .title = "When is it free?",
    .concepts = {"wait_group.read N", "buffer reuse"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_12_drill_4 {

LAB_CASE("seven tiles from two buffers", 2) {
    constexpr size_t rows = 26, columns = 32;
    const auto table = check::output<float>(rows * columns);
    check::call(table, static_cast<int>(rows));
    std::vector<float> expected(rows * columns);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = static_cast<float>(i % columns * (i / columns));
    check::equal(table, expected, {rows, columns});
}

} // namespace lab_12_drill_4
