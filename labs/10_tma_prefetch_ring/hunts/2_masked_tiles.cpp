#include "check/check.h"

EXERCISE(10_tma_prefetch_ring, hunts, 2_masked_tiles) = {
    .title = "Masked tiles",
    .concepts = {"ring", "cursor"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_10_hunt_2 {

void check_sum(int tiles, unsigned period) {
    const auto in = check::random<unsigned>(128 * tiles), out = check::output<unsigned>(1);
    std::vector<unsigned char> flags(tiles);
    unsigned sum = 0;
    for (unsigned k = 0; k < flags.size(); ++k) {
        flags[k] = k % period != period - 1;
        for (size_t i = 0; flags[k] && i < 128; ++i)
            sum += in[128 * k + i];
    }
    const auto active = check::device(flags);
    check::call(in, active, tiles, out);
    check::equal(out, {sum});
}

LAB_CASE("all tiles are active", 1) {
    check_sum(14, 100);
}

LAB_CASE("every third tile is skipped", 2) {
    check_sum(26, 3);
}

} // namespace lab_10_hunt_2
