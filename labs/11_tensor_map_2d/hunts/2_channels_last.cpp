#include "check/check.h"

EXERCISE(11_tensor_map_2d, hunts, 2_channels_last) = {
    .title = "Channels last",
    .concepts = {"4D maps", "strides in bytes", "cp.async.bulk.prefetch.tensor"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_11_hunt_2 {

void check_patches(int count, int height, int width, int pitch) {
    const auto images = check::random<unsigned>(16 * pitch * height * count);
    const int across = (width + 7) / 8, down = (height + 3) / 4;
    const auto sums = check::output<unsigned>(across * down * count);
    std::vector<unsigned> expected(across * down * count);
    for (int n = 0; n < count; ++n)
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                for (int c = 0; c < 16; ++c)
                    expected[(n * down + y / 4) * across + x / 8] += images[((n * height + y) * pitch + x) * 16 + c];
    check::call(images, count, height, width, pitch, sums);
    check::equal(sums, expected);
}

LAB_CASE("without padding", 1) {
    check_patches(2, 8, 16, 16);
}

LAB_CASE("with padding", 2) {
    check_patches(3, 10, 13, 16);
}

} // namespace lab_11_hunt_2
