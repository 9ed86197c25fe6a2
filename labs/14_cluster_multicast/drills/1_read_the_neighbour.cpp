#include "check/check.h"

EXERCISE(14_cluster_multicast, drills, 1_read_the_neighbour) = {
    .title = "Read the neighbour",
    .concepts = {"map_shared_rank", "cluster.sync"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_14_drill_1 {

LAB_CASE("two clusters", 2) {
    const auto in = check::random<int>(512), out = check::output<int>(512);
    check::call(in, out, 2);
    std::vector<int> expected(512);
    for (size_t i = 0; i < 512; ++i)
        expected[i] = static_cast<int>(static_cast<uint32_t>(in[i]) +
                                       static_cast<uint32_t>(in[i / 256 * 256 + (i % 256 + 64) % 256]));
    check::equal(out, expected, {8, 64});
    check::that(check::stats().global_load_bytes == 512 * sizeof(int), "each value is loaded from global memory once");
}

} // namespace lab_14_drill_1
