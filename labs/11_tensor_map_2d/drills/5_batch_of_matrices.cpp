#include "check/check.h"

EXERCISE(11_tensor_map_2d, drills, 5_batch_of_matrices) = {
    .title = "A third dimension",
    .concepts = {"3D maps", "strides in bytes"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_11_drill_5 {

void check_batch(int rows, int batch) {
    const auto in = check::random<unsigned>(32 * rows * batch);
    const int tiles = (rows + 7) / 8;
    const auto sums = check::output<unsigned>(32 * tiles * batch);
    std::vector<unsigned> expected(32 * tiles * batch);
    for (int z = 0; z < batch; ++z)
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < 32; ++x)
                expected[(z * tiles + y / 8) * 32 + x] += in[(z * rows + y) * 32 + x];
    check::call(in, rows, batch, sums);
    check::equal(sums, expected);
}

LAB_CASE("whole tiles", 1) {
    check_batch(16, 2);
}

LAB_CASE("the last rows of each matrix", 1) {
    check_batch(13, 3);
}

} // namespace lab_11_drill_5
