#include "check/check.h"

EXERCISE(09_tma_bulk_1d, drills, 4_who_waits_for_the_store) = {
    .title = "Who waits for the store?",
    .concepts = {"bulk groups", "wait_group.read"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_09_drill_4 {

LAB_CASE("both tiles are stored from one buffer", 2) {
    const auto in = check::random<unsigned>(256), out = check::output<unsigned>(256);
    check::call(in, out, 0x5eed5eedu);
    std::vector<unsigned> expected = in.values();
    for (unsigned& value : expected)
        value ^= 0x5eed5eedu;
    check::equal(out, expected);
    check::that(check::stats().bulk_store_bytes == 256 * sizeof(unsigned), "cp.async.bulk stores each word once");
}

} // namespace lab_09_drill_4
