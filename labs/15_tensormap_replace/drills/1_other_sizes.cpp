#include "check/check.h"

EXERCISE(15_tensormap_replace, drills, 1_other_sizes) = {
    .title = "Other sizes",
    .concepts = {"tensormap.replace", "strides in bytes"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_15_drill_1 {

struct Matrix { // as in the kernel's file
    uint64_t in;
    int32_t rows, columns, pitch, padding;
};

LAB_CASE("five matrices", 2) {
    const int sizes[][3] = {{8, 16, 16}, {20, 40, 44}, {3, 30, 32}, {12, 5, 8}, {1, 1, 4}};
    std::vector<check::Buffer<float>> in;
    std::vector<Matrix> batch;
    std::vector<float> expected;
    for (const auto& [rows, columns, pitch] : sizes) {
        in.push_back(check::random<float>(static_cast<size_t>(rows * pitch)));
        batch.push_back({in.back().address(), rows, columns, pitch, 0});
        float sum = 0;
        for (int r = 0; r < std::min(rows, 8); ++r)
            for (int c = 0; c < std::min(columns, 16); ++c)
                sum += in.back()[static_cast<size_t>(r * pitch + c)];
        expected.push_back(sum);
    }
    const auto sums = check::output<float>(batch.size());
    check::call(check::device(batch), sums, static_cast<int>(batch.size()));
    check::equal(sums, expected);
}

} // namespace lab_15_drill_1
