#include "check/check.h"

EXERCISE(14_cluster_multicast, hunts, 2_heat) = {
    .title = "Heat",
    .concepts = {"cluster barriers", "remote stores"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_14_hunt_2 {

void check_heat(int rods, int steps) {
    const auto rod = check::random<float>(static_cast<size_t>(rods) * 256);
    check::call(rod, rods, steps);
    std::vector<float> now = rod.values(), next(now.size());
    for (int step = 0; step < steps; ++step, now.swap(next))
        for (size_t i = 0; i < now.size(); ++i)
            next[i] = 0.25f * (i % 256 ? now[i - 1] : 0) + 0.5f * now[i] + 0.25f * (i % 256 < 255 ? now[i + 1] : 0);
    check::equal(rod, now, {static_cast<size_t>(rods), 256});
}

LAB_CASE("one step", 1) {
    check_heat(1, 1);
}

LAB_CASE("seven steps of two rods", 2) {
    check_heat(2, 7);
}

} // namespace lab_14_hunt_2
