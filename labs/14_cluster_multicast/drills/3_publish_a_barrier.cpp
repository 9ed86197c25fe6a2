#include "check/check.h"

EXERCISE(14_cluster_multicast, drills, 3_publish_a_barrier) = {
    .title = "Publish a barrier",
    .concepts = {"fence.mbarrier_init", "remote arrive"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_14_drill_3 {

LAB_CASE("three clusters", 2) {
    const auto in = check::random<uint32_t>(384), out = check::output<uint32_t>(3);
    check::call(in, out, 3);
    std::vector<uint32_t> expected(3);
    for (size_t i = 0; i < 384; ++i)
        expected[i / 128] += in[i];
    check::equal(out, expected);
}

} // namespace lab_14_drill_3
