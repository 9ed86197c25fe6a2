#include "check/check.h"

EXERCISE(14_cluster_multicast, drills, 6_share_the_load) = {
    .title = "Share the load",
    .concepts = {"unicast and multicast", "each block's own expect_tx"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_14_drill_6 {

void check_scaled(size_t clusters) {
    const auto table = check::random<uint32_t>(512), out = check::output<uint32_t>(clusters * 1024);
    check::call(table, out, static_cast<int>(clusters));
    std::vector<uint32_t> expected(clusters * 1024);
    for (size_t i = 0; i < expected.size(); ++i)
        expected[i] = table[i % 512] * static_cast<uint32_t>(i / 512 + 1);
    check::equal(out, expected, {clusters * 2, 512});
}

LAB_CASE("the table, scaled", 1) {
    check_scaled(1);
}

LAB_CASE("each half is loaded once", 2) {
    check_scaled(2);
    check::that(check::stats().multicast_bytes == 2 * 512 * sizeof(uint32_t),
                "multicast copies bring each half to both blocks, and one block loads it");
}

} // namespace lab_14_drill_6
