#include "check/check.h"

EXERCISE(11_tensor_map_2d, drills, 3_entry_point) = {
    .title = "Without libcuda",
    .concepts = {"cudaGetDriverEntryPointByVersion", "cuTensorMapEncodeTiled"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_11_drill_3 {

LAB_CASE("the map is made", 1) {
    const auto in = check::random<int>(512), out = check::output<int>(512);
    check::call(in, out, 16);
    std::vector<int> expected(512);
    for (size_t i = 0; i < 512; ++i)
        expected[i] = in[i ^ 31];
    check::equal(out, expected);
    check::that(check::stats().tensor_load_bytes == 512 * sizeof(int), "tile copies load the matrix");
}

} // namespace lab_11_drill_3
