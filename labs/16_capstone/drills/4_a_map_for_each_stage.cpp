#include "check/check.h"

EXERCISE(16_capstone, drills, 4_a_map_for_each_stage) = {
    .title = "A map for each stage",
    .concepts = {"tensor maps made on the device", "when a map is free"},
    .minimum_sm = 90,
    .targets = {check::sm_90a},
};

namespace lab_16_drill_4 {

struct Matrix { // as in the kernel's file
    uint64_t in;
    int32_t rows, first;
};

// Returns how many fields of maps the kernel has replaced.
uint64_t check_batch(const std::vector<size_t>& rows) {
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
    return check::stats().map_replacements;
}

LAB_CASE("small matrices", 2) {
    check_batch({32, 5, 64, 33, 1, 70});
}

LAB_CASE("maps are made only when the matrix changes", 1) {
    check::that(check_batch({320}) == 3 * 2, "each of the three maps is made once, with two fields replaced");
}

} // namespace lab_16_drill_4
