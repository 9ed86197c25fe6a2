#include "check/check.h"

EXERCISE(08_mbarrier_parity, hunts, 1_checksum_warp) = {
    .title = "The checksum warp",
    .concepts = {"arrival count", "roles"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_08_hunt_1 {

void check_packets(int count) {
    constexpr unsigned WORDS = 64, MASK = 0x5a3c0ff1;
    const auto packets = check::random<unsigned>(WORDS * count);
    const auto decoded = check::output<unsigned>(WORDS * count), checksums = check::output<unsigned>(count);
    check::call(packets, MASK, decoded, checksums, count);
    std::vector<unsigned> words = packets.values(), sums(count);
    for (size_t i = 0; i < words.size(); ++i) {
        sums[i / WORDS] += words[i];
        words[i] ^= MASK;
    }
    check::equal(decoded, words);
    check::equal(checksums, sums);
}

LAB_CASE("as many packets as stages", 1) {
    check_packets(3);
}

LAB_CASE("several laps of the ring", 2) {
    check_packets(10);
}

} // namespace lab_08_hunt_1
