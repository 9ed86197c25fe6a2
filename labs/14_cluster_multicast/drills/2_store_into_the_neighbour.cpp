#include "check/check.h"

EXERCISE(14_cluster_multicast, drills, 2_store_into_the_neighbour) = {
    .title = "Store into the neighbour",
    .concepts = {"mapa", "st.shared::cluster", "halo exchange"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_14_drill_2 {

LAB_CASE("four segments", 2) {
    const auto in = check::random<float>(256), out = check::output<float>(256);
    check::call(in, out);
    std::vector<float> expected(256);
    for (size_t i = 0; i < 256; ++i)
        expected[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i < 255 ? in[i + 1] : 0);
    check::equal(out, expected, {4, 64});
    check::that(check::stats().global_load_bytes == 256 * sizeof(float), "each cell is loaded from global memory once");
}

} // namespace lab_14_drill_2
