#include "check/check.h"

using check::Means, check::sm_90;

LAB(13_swizzle_transpose) = {
    .title = "Swizzled tiles",
    .concepts = {"bank conflicts", "swizzle modes", "the XOR index", "base offset", "cuTensorMapEncodeTiled"},
    .minimum_sm = 90,
    .targets = {sm_90},
    .needs = {{"", "the copy unit swizzles both tiles"}},
    .through =
        "every output comes through tensor copies that swizzle, read in shared memory where they land, and leaves "
        "through a tensor store whose map swizzles",
};

namespace {

struct Pixel {
    uint32_t channel[4];
};

std::vector<Pixel> random_image(size_t pixels) {
    const auto channels = check::random_values<uint32_t>(4 * pixels);
    std::vector<Pixel> image(pixels);
    if (pixels)
        std::memcpy(image.data(), channels.data(), pixels * sizeof(Pixel));
    return image;
}

void check_transpose(size_t width, size_t height, int span) {
    const auto in = check::device(random_image(width * height));
    const auto out = check::output<Pixel>(width * height);
    check::follow(check::ranges(in), check::ranges(out));
    check::call(in, out, static_cast<int>(width), static_cast<int>(height), span);
    std::vector<Pixel> expected(width * height);
    for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x)
            expected[x * height + y] = in[y * width + x];
    check::equal(out, expected, {width, height});
    check::unchanged(in);
    check::brought_by_copies(in);
}

LAB_CASE("one tile, 128-byte swizzle", 2) {
    check_transpose(32, 32, 128);
}

LAB_CASE("64-byte swizzle", 2) {
    check_transpose(64, 32, 64);
}

LAB_CASE("32-byte swizzle", 2) {
    check_transpose(32, 64, 32);
}

LAB_CASE("one pixel", 1) {
    check_transpose(1, 1, 128);
}

LAB_CASE("no pixels", 1) {
    check_transpose(0, 5, 128);
    check_transpose(5, 0, 128);
}

LAB_CASE("ragged edges", 3) {
    check_transpose(33, 5, 128);
    check_transpose(7, 70, 64);
    check_transpose(45, 31, 32);
}

LAB_CASE("more tiles than fit on the device at once", 2) {
    check_transpose(static_cast<size_t>(check::random_between(260, 290)), 170, 128);
}

LAB_CASE("the copy unit swizzles both tiles", 3) {
    for (const uint32_t span : {128u, 64u, 32u}) {
        check_transpose(96, 64, static_cast<int>(span));
        const auto& seen = check::stats();
        check::that(seen.tensor_load_bytes == 96 * 64 * sizeof(Pixel), "tensor copies load each tile once");
        check::that(seen.tensor_store_bytes == 96 * 64 * sizeof(Pixel), "tensor copies store each tile once");
        check::that(seen.swizzled_bytes == seen.tensor_load_bytes + seen.tensor_store_bytes,
                    "the maps of both the loads and the stores swizzle");
        check::that(seen.global_store_bytes == 0, "threads do not write the image");
        check::that(check::used_by(Means::swizzled) && check::stored_by(Means::swizzled),
                    lab_13_swizzle_transpose.through);
        check::that(seen.max_swizzle_span == span, "the maps use the swizzle that `span` asks for");
    }
}

LAB_CASE("no bank conflicts", 4) {
    check_transpose(128, 96, 128);
    const auto& seen = check::stats();
    check::that(seen.shared_store_bytes >= 128 * 96 * sizeof(Pixel), "the tiles are transposed in shared memory");
    check::that(seen.shared_bank_cycles == seen.shared_accesses,
                "with 128-byte swizzle, no access to shared memory has bank conflicts");
}

LAB_BENCH {
    const size_t width = 1 << 10, height = check::bench_bytes() / sizeof(Pixel) / width;
    const auto in = check::filled<Pixel>(width * height), out = check::filled<Pixel>(width * height);
    for (const int span : {128, 64, 32})
        check::measure(std::to_string(span) + "-byte swizzle", 2 * check::bench_bytes(), in, out,
                       static_cast<int>(width), static_cast<int>(height), span);
}

} // namespace
