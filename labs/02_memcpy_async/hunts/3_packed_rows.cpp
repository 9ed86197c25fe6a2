#include "check/check.h"

EXERCISE(02_memcpy_async, hunts, 3_packed_rows) = {
    .title = "Mirrored images",
    .concepts = {"cuda::aligned_size_t", "alignment"},
    .minimum_sm = 80,
    .targets = {check::sm_80},
};

namespace lab_02_hunt_3 {

void check_image(int width, int height) {
    const auto in = check::random<float>(width * height), out = check::output<float>(width * height);
    std::vector<float> expected;
    for (int i = 0; i < width * height; ++i)
        expected.push_back(in[i / width * width + width - 1 - i % width]);
    check::call(in, out, width, height);
    check::equal(out, expected);
    check::that(check::stats().cp_async_bytes == width * height * sizeof(float), "all rows are copied asynchronously");
}

LAB_CASE("a width that is a multiple of four", 1) {
    check_image(256, 5);
}

LAB_CASE("any width", 2) {
    check_image(150, 4);
    check_image(77, 4);
}

} // namespace lab_02_hunt_3
