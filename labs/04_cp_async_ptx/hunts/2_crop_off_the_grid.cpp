#include <algorithm>

#include "check/check.h"

EXERCISE(04_cp_async_ptx, hunts, 2_crop_off_the_grid) = {
    .title = "A crop off the grid",
    .concepts = {"alignment", "cp-size"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_04_hunt_2 {

void check_crop(int pitch, int x, int y, int width, int height) {
    const auto image = check::random<uint32_t>(size_t(pitch) * (y + height));
    const auto out = check::output<uint32_t>(size_t(width) * height);
    check::call(image, out, pitch, x, y, width, height);
    std::vector<uint32_t> expected(out.size());
    for (int r = 0; r < height; ++r)
        for (int c = 0; c < width; ++c)
            for (int shift = 0; shift < 32; shift += 8) {
                const uint32_t channel = image[size_t(y + r) * pitch + x + c] >> shift & 0xff;
                expected[size_t(r) * width + c] |= std::min(channel + 0x20, 0xffu) << shift;
            }
    check::equal(out, expected, {.rows = size_t(height), .columns = size_t(width)});
}

LAB_CASE("on the grid", 1) {
    check_crop(640, 64, 3, 320, 4);
    check_crop(640, 64, 3, 319, 4);
}

LAB_CASE("anywhere", 1) {
    check_crop(640, 65, 2, 320, 3);
    check_crop(642, 64, 1, 320, 3);
}

LAB_CASE("16 bytes at a time where possible", 1) {
    check_crop(640, 64, 3, 512, 4);
    const auto in_fours = check::stats().thread_instructions;
    check_crop(640, 65, 3, 512, 4);
    check::that(in_fours < check::stats().thread_instructions, "a crop on the grid is still copied in 16-byte pieces");
}

} // namespace lab_04_hunt_2
