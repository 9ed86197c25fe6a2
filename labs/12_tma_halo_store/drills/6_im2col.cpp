#include "check/check.h"

EXERCISE(12_tma_halo_store, drills, 6_im2col) = {
    .title = "A padded convolution",
    .concepts = {"im2col maps", "negative corners"},
    .minimum_sm = 90,
    .targets = {check::sm_90},
};

namespace lab_12_drill_6 {

LAB_CASE("two images of 9 x 5 pixels", 2) {
    constexpr int width = 9, height = 5, count = 2, channels = 4;
    const auto in = check::random<float>(width * height * count * channels);
    const auto out = check::output<float>(in.size());
    check::call(in, out, width, height, count);
    std::vector<float> expected(in.size());
    for (int i = 0; i < static_cast<int>(in.size()); ++i) {
        const int x = i / channels % width, y = i / channels / width % height;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
                    expected[static_cast<size_t>(i)] += in[static_cast<size_t>(i + (dy * width + dx) * channels)];
    }
    check::equal(out, expected, {static_cast<size_t>(height * count), static_cast<size_t>(width * channels)});
}

} // namespace lab_12_drill_6
