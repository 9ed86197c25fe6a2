#include "check/check.h"

namespace {

EXERCISE("drills/1_which_comes_first") {
    LAB_CASE("boxes of a column-major matrix", 2) {
        constexpr int ROWS = 64, COLUMNS = 24, LD = 80;
        const auto matrix = check::random<float>(LD * COLUMNS), out = check::output<float>(ROWS * COLUMNS);
        std::vector<float> expected;
        for (int by = 0; by < COLUMNS / 8; ++by)
            for (int bx = 0; bx < ROWS / 32; ++bx)
                for (int column = 0; column < 8; ++column)
                    for (int row = 0; row < 32; ++row)
                        expected.push_back(matrix[(by * 8 + column) * LD + bx * 32 + row]);
        check::call(matrix, ROWS, COLUMNS, LD, out);
        check::equal(out, expected);
        check::that(check::stats().tensor_load_bytes == ROWS * COLUMNS * sizeof(float),
                    "tile copies load each box once");
    }
}

EXERCISE("drills/2_whole_box") {
    void check_maxima(int rows, int columns) {
        const auto matrix = check::random<unsigned>(rows * columns);
        const int across = (columns + 31) / 32, down = (rows + 7) / 8;
        const auto out = check::output<unsigned>(across * down);
        std::vector<unsigned> expected(across * down);
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns; ++x) {
                unsigned& most = expected[y / 8 * across + x / 32];
                most = std::max(most, matrix[y * columns + x]);
            }
        check::call(matrix, rows, columns, out);
        check::equal(out, expected);
    }

    LAB_CASE("whole tiles", 1) {
        check_maxima(16, 64);
    }

    LAB_CASE("tiles at both edges", 1) {
        check_maxima(21, 76);
    }
}

EXERCISE("drills/3_entry_point") {
    LAB_CASE("the map is made", 1) {
        const auto in = check::random<int>(512), out = check::output<int>(512);
        check::call(in, out, 16);
        std::vector<int> expected(512);
        for (size_t i = 0; i < 512; ++i)
            expected[i] = in[i ^ 31];
        check::equal(out, expected);
        check::that(check::stats().tensor_load_bytes == 512 * sizeof(int), "tile copies load the matrix");
    }
}

EXERCISE("drills/4_every_second_row") {
    LAB_CASE("both fields", 2) {
        constexpr int ROWS = 40, WIDTH = 64;
        const auto picture = check::random<unsigned>(ROWS * WIDTH), fields = check::output<unsigned>(ROWS * WIDTH);
        std::vector<unsigned> expected(ROWS * WIDTH);
        for (int y = 0; y < ROWS; ++y)
            for (int x = 0; x < WIDTH; ++x)
                expected[(y % 2 * ROWS / 2 + y / 2) * WIDTH + x] = picture[y * WIDTH + x];
        check::call(picture, ROWS, fields);
        check::equal(fields, expected);
        check::that(check::stats().tensor_load_bytes <= 6 * 8 * WIDTH * sizeof(unsigned),
                    "no row is loaded for nothing");
    }
}

EXERCISE("drills/5_batch_of_matrices") {
    void check_batch(int rows, int batch) {
        const auto in = check::random<unsigned>(32 * rows * batch);
        const int tiles = (rows + 7) / 8;
        const auto sums = check::output<unsigned>(32 * tiles * batch);
        std::vector<unsigned> expected(32 * tiles * batch);
        for (int z = 0; z < batch; ++z)
            for (int y = 0; y < rows; ++y)
                for (int x = 0; x < 32; ++x)
                    expected[(z * tiles + y / 8) * 32 + x] += in[(z * rows + y) * 32 + x];
        check::call(in, rows, batch, sums);
        check::equal(sums, expected);
    }

    LAB_CASE("whole tiles", 1) {
        check_batch(16, 2);
    }

    LAB_CASE("the last rows of each matrix", 1) {
        check_batch(13, 3);
    }
}

EXERCISE("drills/6_another_address") {
    LAB_CASE("both arrays", 1) {
        constexpr int ROWS = 28, TILES = 4;
        const auto first = check::random<unsigned>(32 * ROWS), second = check::random<unsigned>(32 * ROWS);
        const auto sums = check::output<unsigned>(2 * TILES);
        std::vector<unsigned> expected(2 * TILES);
        for (int i = 0; i < 32 * ROWS; ++i) {
            expected[i / 256] += first[i];
            expected[TILES + i / 256] += second[i];
        }
        check::call(first, second, ROWS, sums);
        check::equal(sums, expected);
    }
}

EXERCISE("hunts/1_pooling_at_the_edge") {
    void check_pool(int rows, int columns) {
        std::vector<float> values = check::random_values<float>(rows * columns);
        for (float& value : values)
            value -= 4.5f; // all pixels are negative
        const auto picture = check::device(values);
        const int across = (columns + 31) / 32, down = (rows + 7) / 8;
        const auto out = check::output<float>(across * down);
        std::vector<float> expected(across * down, -INFINITY);
        for (int y = 0; y < rows; ++y)
            for (int x = 0; x < columns; ++x) {
                float& most = expected[y / 8 * across + x / 32];
                most = std::max(most, values[y * columns + x]);
            }
        check::call(picture, rows, columns, out);
        check::equal(out, expected, {.rows = static_cast<size_t>(down), .columns = static_cast<size_t>(across)});
    }

    LAB_CASE("whole windows", 1) {
        check_pool(24, 96);
    }

    LAB_CASE("windows at both edges", 2) {
        check_pool(19, 84);
    }
}

EXERCISE("hunts/2_channels_last") {
    void check_patches(int count, int height, int width, int pitch) {
        const auto images = check::random<unsigned>(16 * pitch * height * count);
        const int across = (width + 7) / 8, down = (height + 3) / 4;
        const auto sums = check::output<unsigned>(across * down * count);
        std::vector<unsigned> expected(across * down * count);
        for (int n = 0; n < count; ++n)
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x)
                    for (int c = 0; c < 16; ++c)
                        expected[(n * down + y / 4) * across + x / 8] +=
                            images[((n * height + y) * pitch + x) * 16 + c];
        check::call(images, count, height, width, pitch, sums);
        check::equal(sums, expected);
    }

    LAB_CASE("without padding", 1) {
        check_patches(2, 8, 16, 16);
    }

    LAB_CASE("with padding", 2) {
        check_patches(3, 10, 13, 16);
    }
}

} // namespace
