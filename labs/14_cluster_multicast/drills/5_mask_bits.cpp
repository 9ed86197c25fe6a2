#include "check/check.h"

EXERCISE(14_cluster_multicast, drills, 5_mask_bits) = {
    .title = "Mask bits",
    .concepts = {"multicast", "mask bits"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_14_drill_5 {

LAB_CASE("two columns", 2) {
    const auto b = check::random<uint32_t>(512), out = check::output<uint32_t>(1024);
    check::call(b, out);
    std::vector<uint32_t> expected(1024);
    for (size_t i = 0; i < 1024; ++i)
        expected[i] = b[i % 512] * static_cast<uint32_t>(i / 512 + 1);
    check::equal(out, expected, {4, 256});
    check::that(check::stats().multicast_bytes == 512 * sizeof(uint32_t), "each tile is loaded once, for two blocks");
}

} // namespace lab_14_drill_5
