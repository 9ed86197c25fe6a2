#include "check/check.h"

using check::sm_90;

LAB(13_swizzle_transpose) = {
    .title = "Swizzled tiles",
    .concepts = {"bank conflicts", "swizzle modes", "the XOR index", "base offset", "cuTensorMapEncodeTiled"},
    .minimum_sm = 90,
    .targets = {sm_90},
    .hints =
        {
            "Begin without a swizzle: what is missing for right results is TODO 2 only. Then look at what the report "
            "says about bank conflicts, and at which of the two accesses they happen.",
            "Shared memory is made of lines of 128 bytes, and a line of eight units of 16 bytes. The copy unit "
            "exchanges the units inside a row of the box, in another way in each line: XOR with the number of the "
            "line. Which bits take part is a matter of the address in shared memory alone. The tile's own rows and "
            "columns do not enter.",
            "In 16-byte units: with a span of 128 bytes the lowest three bits of the unit's number are XORed with the "
            "three bits above them, which count lines; with 64 bytes the lowest two with two, with 32 one with one. "
            "The tile begins 128 bytes behind a multiple of 1024, so that its first line is not line 0 of the "
            "pattern: take the number from the address, __cvta_generic_to_shared(tile) / 16 + linear.",
            "A store needs what lab 12 has shown: fence.proxy.async by every thread that has written, a barrier, one "
            "thread that issues and commits and waits for the reads. The tile goes to column y, row x of the "
            "output, and the first coordinate counts channels: 4 * (y + p * width).",
            "(1) unit = base + linear; return tile + ((unit ^ unit / 8 % width) - base);  (3) one of "
            "CU_TENSOR_MAP_SWIZZLE_128B, _64B, _32B",
        },
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
    check::call(in, out, static_cast<int>(width), static_cast<int>(height), span);
    std::vector<Pixel> expected(width * height);
    for (size_t y = 0; y < height; ++y)
        for (size_t x = 0; x < width; ++x)
            expected[x * height + y] = in[y * width + x];
    check::equal(out, expected, {width, height});
    check::unchanged(in);
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
        check::that(seen.tensor_load_bytes == 96 * 64 * sizeof(Pixel), "each tile is loaded once, by tensor copies");
        check::that(seen.tensor_store_bytes == 96 * 64 * sizeof(Pixel), "each tile is stored once, by tensor copies");
        check::that(seen.swizzled_bytes == seen.tensor_load_bytes + seen.tensor_store_bytes,
                    "the maps of the loads and of the stores swizzle");
        check::that(seen.max_swizzle_span == span, "the maps have the swizzle that the caller asks for");
    }
}

LAB_CASE("no bank conflicts", 4) {
    check_transpose(128, 96, 128);
    const auto& seen = check::stats();
    check::that(seen.shared_store_bytes >= 128 * 96 * sizeof(Pixel), "the tiles are transposed in shared memory");
    check::that(seen.shared_bank_cycles == seen.shared_accesses,
                "with 128-byte swizzle no access to shared memory has bank conflicts");
}

LAB_BENCH {
    const size_t width = 1 << 10, height = check::bench_bytes() / sizeof(Pixel) / width;
    const auto in = check::filled<Pixel>(width * height), out = check::filled<Pixel>(width * height);
    for (const int span : {128, 64, 32})
        check::measure(std::to_string(span) + "-byte swizzle", 2 * check::bench_bytes(), in, out,
                       static_cast<int>(width), static_cast<int>(height), span);
}

} // namespace
