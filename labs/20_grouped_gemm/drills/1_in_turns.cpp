#include "check/check.h"

EXERCISE(20_grouped_gemm, drills, 1_in_turns) = {
    .title = "In turns",
    .concepts = {"persistent blocks", "tiles of a list"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_20_drill_1 {

struct Problem { // as in the kernel's file
    uint64_t d;
    int32_t m, n, first, padding;
};

void check_list(const std::vector<std::pair<int, int>>& sizes) {
    std::vector<check::Buffer<uint32_t>> d;
    std::vector<std::vector<uint32_t>> expected;
    std::vector<Problem> list;
    int tiles = 0;
    for (const auto& [m, n] : sizes) {
        d.push_back(check::output<uint32_t>(static_cast<size_t>(m * n)));
        list.push_back({d.back().address(), m, n, tiles, 0});
        const int down = (m + 7) / 8;
        std::vector<uint32_t>& numbers = expected.emplace_back(d.back().size());
        for (size_t i = 0; i < numbers.size(); ++i) {
            const int row = static_cast<int>(i) / n, column = static_cast<int>(i) % n;
            numbers[i] = static_cast<uint32_t>(tiles + column / 16 * down + row / 8);
        }
        tiles += down * ((n + 15) / 16);
    }
    check::call(check::device(list), static_cast<int>(list.size()), tiles);
    for (size_t g = 0; g < sizes.size(); ++g) {
        CAPTURE(g);
        if (!expected[g].empty())
            check::equal(d[g], expected[g],
                         {static_cast<size_t>(sizes[g].first), static_cast<size_t>(sizes[g].second)});
    }
}

LAB_CASE("two problems of one tile", 1) {
    check_list({{8, 16}, {5, 7}});
}

LAB_CASE("five problems, two of them empty", 2) {
    check_list({{20, 40}, {0, 16}, {0, 30}, {1, 100}, {33, 33}});
}

} // namespace lab_20_drill_1
