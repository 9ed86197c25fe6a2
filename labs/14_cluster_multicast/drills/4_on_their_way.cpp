#include "check/check.h"

EXERCISE(14_cluster_multicast, drills, 4_on_their_way) = {
    .title = "Values on their way",
    .concepts = {"st.async", "expect_tx"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_14_drill_4 {

LAB_CASE("one cluster", 2) {
    const auto in = check::random<int>(256), out = check::output<int>(256);
    check::call(in, out);
    std::vector<int> expected(256);
    for (size_t i = 0; i < 256; ++i)
        expected[i] = in[(i + 192) % 256];
    check::equal(out, expected, {4, 64});
}

} // namespace lab_14_drill_4
