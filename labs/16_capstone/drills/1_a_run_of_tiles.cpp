#include "check/check.h"

EXERCISE(16_capstone, drills, 1_a_run_of_tiles) = {
    .title = "A run of tiles",
    .concepts = {"persistent blocks", "tiles of a batch"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_16_drill_1 {

struct Matrix { // as in the kernel's file
    uint64_t in, out;
    int32_t rows, columns, first, padding;
};

void check_batch(const std::vector<std::pair<int, int>>& sizes) {
    std::vector<check::Buffer<uint32_t>> in, out;
    std::vector<Matrix> batch;
    int tiles = 0;
    for (const auto& [rows, columns] : sizes) {
        in.push_back(check::random<uint32_t>(static_cast<size_t>(rows * columns)));
        out.push_back(check::output<uint32_t>(static_cast<size_t>(rows * columns)));
        batch.push_back({in.back().address(), out.back().address(), rows, columns, tiles, 0});
        tiles += (rows + 31) / 32 * ((columns + 31) / 32);
    }
    check::call(check::device(batch), static_cast<int>(batch.size()), tiles);
    for (size_t m = 0; m < sizes.size(); ++m) {
        CAPTURE(m);
        std::vector<uint32_t> expected = in[m].values();
        for (uint32_t& value : expected)
            ++value;
        check::equal(out[m], expected, {static_cast<size_t>(sizes[m].first), static_cast<size_t>(sizes[m].second)});
    }
}

LAB_CASE("three tiles", 1) {
    check_batch({{40, 20}, {5, 7}});
}

LAB_CASE("23 tiles of four matrices", 2) {
    check_batch({{100, 70}, {1, 1}, {33, 64}, {60, 90}});
}

} // namespace lab_16_drill_1
