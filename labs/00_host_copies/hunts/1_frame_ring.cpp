#include "check/check.h"

EXERCISE(00_host_copies, hunts, 1_frame_ring) = {
    .title = "Thumbnails",
    .concepts = {"staging buffer", "events"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_00_hunt_1 {

void check_frames(int count) {
    constexpr int PIXELS = 1024;
    const auto frames = check::random<unsigned short>(count * PIXELS, check::Place::pageable);
    const auto small = check::output<unsigned short>(count * PIXELS / 2, check::Place::pinned);
    std::vector<unsigned short> expected;
    for (int i = 0; i < count * PIXELS / 2; ++i)
        expected.push_back((frames[2 * i] + frames[2 * i + 1]) / 2);
    check::call(frames, small, count);
    check::equal(small, expected);
}

LAB_CASE("three frames", 1) {
    check_frames(3);
}

LAB_CASE("many frames", 2) {
    check_frames(11);
}

} // namespace lab_00_hunt_1
