#include "check/check.h"

EXERCISE(00_host_copies, hunts, 2_download_stream) = {
    .title = "Residuals",
    .concepts = {"cudaStreamWaitEvent", "write after read between streams"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_00_hunt_2 {

void check_steps(int steps) {
    constexpr int N = 512;
    const auto start = check::random_values<float>(N), target = check::random_values<float>(N);
    const auto x = check::device(start), wanted = check::device(target);
    const auto log = check::output<float>(steps * N, check::Place::pinned);
    check::call(x, wanted, log, steps);
    std::vector<float> value = start, expected;
    for (int k = 0; k < steps; ++k)
        for (int i = 0; i < N; ++i) {
            value[i] += 0.5f * (target[i] - value[i]);
            expected.push_back(target[i] - value[i]);
        }
    check::equal(log, expected);
    check::equal(x, value);
}

LAB_CASE("one step", 1) {
    check_steps(1);
}

LAB_CASE("several steps", 2) {
    check_steps(5);
}

} // namespace lab_00_hunt_2
