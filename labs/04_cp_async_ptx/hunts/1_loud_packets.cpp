#include "check/check.h"

EXERCISE(04_cp_async_ptx, hunts, 1_loud_packets) = {
    .title = "Loud packets",
    .concepts = {"src-size", "unsigned arithmetic"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_04_hunt_1 {

void check_energies(const std::vector<int>& lengths) {
    const size_t packets = lengths.size();
    const auto slots = check::random<int>(512 * (packets - 1) + lengths.back());
    const auto energy = check::output<uint32_t>(packets);
    std::vector<uint32_t> expected(packets);
    for (size_t p = 0; p < packets; ++p)
        for (int i = 0; i < lengths[p]; ++i)
            expected[p] += uint32_t(slots[512 * p + i]) * uint32_t(slots[512 * p + i]);
    check::call(slots, check::device(lengths), energy, static_cast<int>(packets));
    check::equal(energy, expected);
    check::that(check::stats().cp_async_bytes > 0, "the samples arrive by cp.async");
}

LAB_CASE("full packets", 1) {
    check_energies({512, 512});
}

LAB_CASE("short packets among full ones", 1) {
    check_energies({37, 512, 2, 300, 512});
}

LAB_CASE("a short packet at the end", 1) {
    check_energies({512, 511, 9});
}

} // namespace lab_04_hunt_1
