#include "check/check.h"

EXERCISE(20_grouped_gemm, hunts, 2_one_store_left) = {
    .title = "One store left",
    .concepts = {"wait_group.read", "a ring of stores"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_20_hunt_2 {

void check_rows(size_t rows) {
    const auto in = check::random<uint32_t>(rows * 256), out = check::output<uint32_t>(rows * 256);
    check::call(in, out, static_cast<int>(rows));
    std::vector<uint32_t> expected(out.size());
    for (size_t row = 0; row < rows; ++row) {
        uint32_t sum = 0;
        for (size_t i = 0; i < 256; ++i)
            expected[row * 256 + i] = sum += in[row * 256 + i];
    }
    check::equal(out, expected);
}

LAB_CASE("two rows", 1) {
    check_rows(2);
}

LAB_CASE("many rows", 2) {
    check_rows(11);
}

} // namespace lab_20_hunt_2
