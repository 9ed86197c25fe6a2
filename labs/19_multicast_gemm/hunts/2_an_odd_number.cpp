#include "check/check.h"

EXERCISE(19_multicast_gemm, hunts, 2_an_odd_number) = {
    .title = "An odd number",
    .concepts = {"clusters with idle blocks", "remote arrivals"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_19_hunt_2 {

constexpr size_t WIDE = 64;

void check_weighed(size_t rows, size_t steps) {
    const auto in = check::random<uint32_t>(rows * steps * WIDE), weights = check::random<uint32_t>(steps * WIDE);
    const auto out = check::output<uint32_t>(rows * WIDE);
    check::call(in, weights, out, static_cast<int>(rows), static_cast<int>(steps));
    std::vector<uint32_t> expected(out.size());
    for (size_t i = 0; i < expected.size(); ++i)
        for (size_t step = 0; step < steps; ++step)
            expected[i] += in[(i / WIDE * steps + step) * WIDE + i % WIDE] * weights[step * WIDE + i % WIDE];
    check::equal(out, expected, {rows, WIDE});
}

LAB_CASE("an even number of rows", 1) {
    check_weighed(4, 7);
}

LAB_CASE("an odd number of rows", 2) {
    check_weighed(3, 7);
}

} // namespace lab_19_hunt_2
