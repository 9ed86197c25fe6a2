#include "check/check.h"

EXERCISE(14_cluster_multicast, hunts, 1_normalise) = {
    .title = "Normalise",
    .concepts = {"st.async", "expect_tx"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_14_hunt_1 {

LAB_CASE("three rows", 2) {
    const auto in = check::random<float>(3 * 512), out = check::output<float>(3 * 512);
    check::call(in, out, 3);
    std::vector<float> expected = in.values();
    for (size_t row = 0; row < 3; ++row) {
        const auto begin = expected.begin() + static_cast<int64_t>(row) * 512;
        const float least = *std::min_element(begin, begin + 512), most = *std::max_element(begin, begin + 512);
        std::transform(begin, begin + 512, begin, [&](float value) { return (value - least) / (most - least); });
    }
    check::equal(out, expected, {3, 512});
}

} // namespace lab_14_hunt_1
