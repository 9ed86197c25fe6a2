#include "check/check.h"

EXERCISE(01_synchronous_staging, hunts, 2_delta_encoder) = {
    .title = "Delta encoder",
    .concepts = {"double buffering", "write-after-read"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_01_hunt_2 {

void check_channels(int n, int channels) {
    std::vector<int> values = check::random_values<int>(n * channels), expected;
    for (int& value : values)
        value %= 10000;
    for (int i = 0; i < n * channels; ++i)
        expected.push_back(values[i] - (i % n ? values[i - 1] : 0));
    const auto in = check::device(values), out = check::output<int>(n * channels);
    check::call(in, out, n, channels);
    check::equal(out, expected);
}

LAB_CASE("one tile", 1) {
    check_channels(200, 3);
}

LAB_CASE("several tiles", 2) {
    check_channels(5 * 256 + 100, 2);
}

} // namespace lab_01_hunt_2
