#include "check/check.h"

EXERCISE(20_grouped_gemm, drills, 2_what_differs) = {
    .title = "What differs",
    .concepts = {"tensormap.replace", "clipped stores"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_20_drill_2 {

void check_matrix(size_t rows, size_t columns, size_t pitch) {
    const auto d = check::output<uint32_t>(rows * pitch);
    check::call(d, static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(pitch));
    std::vector<uint32_t> expected(rows * pitch);
    for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column)
            expected[row * pitch + column] = static_cast<uint32_t>(row * 1000 + column);
    check::equal(d, expected, {rows, columns, pitch, 4});
    check::that(check::stats().global_map_bytes == check::stats().tensor_store_bytes, "the map is in global memory");
}

LAB_CASE("a matrix of 64 x 32", 1) {
    check_matrix(64, 32, 32);
}

LAB_CASE("ragged edges and a pitch", 2) {
    check_matrix(45, 70, 88);
}

} // namespace lab_20_drill_2
