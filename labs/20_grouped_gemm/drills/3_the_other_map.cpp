#include "check/check.h"

EXERCISE(20_grouped_gemm, drills, 3_the_other_map) = {
    .title = "The other map",
    .concepts = {"maps in turn", "a ring that runs on", "when a map is free"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_20_drill_3 {

struct Matrix { // as in the kernel's file
    uint64_t in;
    int32_t rows, first;
};

void check_batch(const std::vector<size_t>& rows) {
    std::vector<check::Buffer<uint32_t>> in;
    std::vector<Matrix> batch;
    std::vector<uint32_t> expected;
    for (const size_t count : rows) {
        in.push_back(check::random<uint32_t>(count * 32));
        batch.push_back({in.back().address(), static_cast<int32_t>(count), static_cast<int32_t>(expected.size())});
        const size_t first = expected.size();
        expected.resize(first + (count + 31) / 32);
        for (size_t i = 0; i < in.back().size(); ++i)
            expected[first + i / 1024] += in.back()[i];
    }
    const auto sums = check::output<uint32_t>(expected.size());
    check::call(check::device(batch), static_cast<int>(batch.size()), static_cast<int>(expected.size()), sums);
    check::equal(sums, expected);
    check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 2,
                "loads of two matrices are in flight at once");
}

LAB_CASE("one tile each", 2) {
    check_batch({32, 5, 31, 17, 1, 32});
}

LAB_CASE("tiles for more than a lap", 1) {
    check_batch({40, 150, 64, 33, 200});
}

} // namespace lab_20_drill_3
