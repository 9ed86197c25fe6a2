#include "check/check.h"

namespace {

EXERCISE("drills/1_left_of_the_row") {
    LAB_CASE("three rows", 2) {
        constexpr size_t rows = 3, columns = 96;
        const auto in = check::random<float>(rows * columns), out = check::output<float>(rows * columns);
        check::call(in, out, static_cast<int>(rows), static_cast<int>(columns));
        std::vector<float> expected(rows * columns);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = (i % columns ? in[i - 1] : 0) + in[i] + (i % columns + 1 < columns ? in[i + 1] : 0);
        check::equal(out, expected, {rows, columns});
    }
}

EXERCISE("drills/2_outside") {
    void check_largest(int rows, int columns) {
        std::vector<float> image = check::random_values<float>(static_cast<size_t>(rows) * columns);
        for (float& pixel : image)
            pixel -= 5;
        const int across = (columns + 11) / 8, down = (rows + 5) / 4;
        const auto in = check::device(image);
        const auto out = check::output<float>(static_cast<size_t>(across) * down);
        check::call(in, out, rows, columns);
        std::vector<float> expected(out.size(), -1000);
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns; ++x) {
                float& most = expected[static_cast<size_t>((y + 2) / 4 * across + (x + 4) / 8)];
                most = std::max(most, image[static_cast<size_t>(y) * columns + x]);
            }
        check::equal(out, expected, {static_cast<size_t>(down), static_cast<size_t>(across)});
    }

    LAB_CASE("windows inside and at the border", 2) {
        check_largest(10, 28);
    }

    LAB_CASE("one row of four pixels", 1) {
        check_largest(1, 4);
    }
}

EXERCISE("drills/3_store_a_tile") {
    LAB_CASE("a table that is not a multiple of the tile", 2) {
        constexpr size_t rows = 11, columns = 44;
        const auto table = check::output<float>(rows * columns);
        check::call(table, static_cast<int>(rows), static_cast<int>(columns));
        std::vector<float> expected(rows * columns);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = static_cast<float>(i % columns * (i / columns));
        check::equal(table, expected, {rows, columns});
        check::that(check::stats().tensor_store_bytes == rows * columns * sizeof(float),
                    "cp.async.bulk.tensor stores each value of the table once");
    }
}

EXERCISE("drills/4_when_is_it_free") {
    LAB_CASE("seven tiles from two buffers", 2) {
        constexpr size_t rows = 26, columns = 32;
        const auto table = check::output<float>(rows * columns);
        check::call(table, static_cast<int>(rows));
        std::vector<float> expected(rows * columns);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = static_cast<float>(i % columns * (i / columns));
        check::equal(table, expected, {rows, columns});
    }
}

EXERCISE("drills/5_the_next_window") {
    void check_sums(size_t rows) {
        const auto table = check::random<float>(rows * 64), sums = check::output<float>(64);
        check::call(table, sums, static_cast<int>(rows));
        std::vector<float> expected(64);
        for (size_t i = 0; i < table.size(); ++i)
            expected[i % 64] += table[i];
        check::equal(sums, expected);
    }

    LAB_CASE("the sums", 1) {
        check_sums(4);
        check_sums(30);
    }

    LAB_CASE("the next window is in flight", 2) {
        check_sums(32);
        check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 2,
                    "the load of the next window is in flight while the block waits for this one");
    }
}

EXERCISE("drills/6_im2col") {
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
}

EXERCISE("drills/7_along_w") {
    LAB_CASE("three images", 2) {
        constexpr size_t W = 32, CHANNELS = 16, IMAGE = W * CHANNELS, IMAGES = 3;
        const auto in = check::random<float>(IMAGES * IMAGE), out = check::output<float>(IMAGES * IMAGE);
        check::call(in, out, static_cast<int>(IMAGES));
        std::vector<float> expected = in.values();
        for (size_t i = 0; i < expected.size(); ++i) {
            expected[i] += i % IMAGE >= CHANNELS ? in[i - CHANNELS] : 0;
            expected[i] += i % IMAGE < IMAGE - CHANNELS ? in[i + CHANNELS] : 0;
        }
        check::equal(out, expected, {IMAGES, W, CHANNELS});
        check::that(check::stats().tensor_load_bytes == IMAGES * (W + 2) * CHANNELS * sizeof(float),
                    "each pixel is loaded once, with a halo of two for each row");
    }
}

EXERCISE("hunts/1_tone_curve") {
    void check_tone(size_t rows, size_t columns) {
        const auto in = check::random<float>(rows * columns), out = check::output<float>(rows * columns);
        check::call(in, out, static_cast<int>(rows), static_cast<int>(columns));
        std::vector<float> expected = in.values();
        for (float& value : expected)
            value = value / (1 + std::abs(value));
        check::equal(out, expected, {rows, columns});
    }

    LAB_CASE("a small image", 1) {
        check_tone(10, 36);
    }

    LAB_CASE("a large image", 2) {
        check_tone(50, 100);
        check::that(check::stats().tensor_store_bytes == 50 * 100 * sizeof(float), "the copy unit stores the results");
    }
}

EXERCISE("hunts/2_changed_tiles") {
    void check_tiles(size_t rows, size_t columns) {
        const size_t across = (columns + 63) / 64, down = (rows + 15) / 16;
        const auto pixels = check::random<uint32_t>(rows * columns), sums = check::output<uint32_t>(across * down);
        check::call(pixels, sums, static_cast<int>(rows), static_cast<int>(columns));
        std::vector<uint32_t> expected(across * down);
        for (size_t i = 0; i < pixels.size(); ++i)
            expected[i / columns / 16 * across + i % columns / 64] += pixels[i];
        check::equal(sums, expected, {down, across});
    }

    LAB_CASE("whole tiles", 1) {
        check_tiles(32, 128);
    }

    LAB_CASE("tiles that end outside the screen", 2) {
        check_tiles(40, 192);
        check_tiles(19, 100);
    }
}

} // namespace
