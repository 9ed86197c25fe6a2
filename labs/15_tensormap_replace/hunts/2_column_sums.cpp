#include "check/check.h"

EXERCISE(15_tensormap_replace, hunts, 2_column_sums) = {
    .title = "Column sums",
    .concepts = {"one map for each block", "persistent blocks"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_15_hunt_2 {

struct Matrix { // as in the kernel's file
    uint64_t in, sums;
    int32_t rows, padding;
};

void check_sums(size_t count) {
    std::vector<check::Buffer<float>> in, sums;
    std::vector<Matrix> batch;
    for (size_t m = 0; m < count; ++m) {
        const size_t rows = 1 + m * 7 % 30;
        in.push_back(check::random<float>(rows * 32));
        sums.push_back(check::output<float>(32));
        batch.push_back({in.back().address(), sums.back().address(), static_cast<int32_t>(rows), 0});
    }
    check::call(check::device(batch), static_cast<int>(count));
    for (size_t m = 0; m < count; ++m) {
        CAPTURE(m);
        std::vector<float> expected(32);
        for (size_t i = 0; i < in[m].size(); ++i)
            expected[i % 32] += in[m][i];
        check::equal(sums[m], expected);
    }
}

LAB_CASE("five matrices", 1) {
    check_sums(5);
}

LAB_CASE("twenty matrices", 2) {
    check_sums(20);
}

} // namespace lab_15_hunt_2
