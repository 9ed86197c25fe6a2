#include <algorithm>

#include "check/check.h"

EXERCISE(07_split_barrier, hunts, 2_the_ends_of_the_rod) = {
    .title = "The ends of the rod",
    .concepts = {"arriving is a release"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_07_hunt_2 {

void check_heat(int steps) {
    std::vector<int> start = check::random_values<int>(128), ends = check::random_values<int>(2 * (steps + 1));
    for (int& x : start)
        x %= 1 << 20;
    for (int& x : ends)
        x %= 1 << 20;
    std::vector<int> now = start, peak = start;
    for (int step = 0; step < steps; ++step) {
        const std::vector<int> from = now;
        for (int c = 0; c < 128; ++c) {
            const int left = c == 0 ? ends[2 * step] : from[c - 1], right = c == 127 ? ends[2 * step + 1] : from[c + 1];
            now[c] = (left + 2 * from[c] + right) / 4;
            peak[c] = std::max(peak[c], now[c]);
        }
    }
    const auto result = check::output<int>(128), warmest = check::output<int>(128);
    check::call(check::device(start), check::device(ends), result, warmest, steps);
    check::equal(result, now);
    check::equal(warmest, peak);
}

LAB_CASE("one step", 1) {
    check_heat(1);
}

LAB_CASE("many steps", 2) {
    check_heat(9);
}

} // namespace lab_07_hunt_2
