#include <algorithm>

#include "check/check.h"

namespace {

EXERCISE("drills/1_barrier_object") {
    LAB_CASE("each row is doubled and reversed", 2) {
        constexpr int ROWS = 3, COLUMNS = 128;
        std::vector<int> values = check::random_values<int>(ROWS * COLUMNS), expected;
        for (int& value : values)
            value %= 10000;
        for (int i = 0; i < ROWS * COLUMNS; ++i)
            expected.push_back(2 * values[i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS]);
        const auto in = check::device(values), out = check::output<int>(ROWS * COLUMNS);
        check::call(in, out, ROWS);
        check::equal(out, expected);
    }
}

EXERCISE("drills/2_copy_and_wait") {
    LAB_CASE("the copies have arrived", 2) {
        const auto in = check::random<int>(128), out = check::output<int>(128);
        check::call(in, out);
        std::vector<int> expected;
        for (int t = 0; t < 128; ++t)
            expected.push_back(in[127 - t]);
        check::equal(out, expected);
        check::that(check::stats().cp_async_bytes == 512, "cp.async moves the numbers");
    }
}

EXERCISE("drills/3_token") {
    LAB_CASE("both copies are in flight together", 2) {
        const auto in = check::random<int>(128), out = check::output<int>(128);
        check::call(in, out);
        std::vector<int> expected;
        for (int i = 0; i < 128; ++i)
            expected.push_back(in[i / 64 * 64 + 63 - i % 64]);
        check::equal(out, expected);
        if (check::copies_end_late())
            check::that(check::stats().max_phases_in_flight == 2,
                        "the second copy is issued while the first one is in flight");
    }
}

EXERCISE("drills/4_promise") {
    LAB_CASE("as much as is true", 2) {
        const auto in = check::random<float>(200), out = check::output<float>(187);
        check::call(in, out);
        std::vector<float> expected(in.begin() + 4, in.begin() + 68);
        expected.insert(expected.end(), in.begin() + 70, in.begin() + 130);
        expected.insert(expected.end(), in.begin() + 132, in.begin() + 195);
        check::equal(out, expected);
        check::that(check::stats().staged_bytes == 0, "all three copies are asynchronous");
        check::that(check::stats().bulk_load_bytes == 64 * sizeof(float), "the first one is a single bulk copy");
        check::that(check::stats().cp_async_bytes == 123 * sizeof(float), "the other two are cp.async copies");
    }
}

EXERCISE("drills/5_zeros") {
    void check_sum(int n) {
        std::vector<int> values = check::random_values<int>(n), expected;
        for (int& value : values)
            value %= 1000;
        for (int i = 0; i < n; ++i)
            expected.push_back(values[i] + (i + 1 < n ? values[i + 1] : 0));
        const auto in = check::device(values), out = check::output<int>(n);
        check::call(in, out, n);
        check::equal(out, expected);
    }

    LAB_CASE("several tiles, the last one ragged", 2) {
        check_sum(2 * 128 + 31);
        check_sum(1);
    }

    LAB_CASE("the elements are copied asynchronously", 1) {
        check_sum(3 * 128);
        check::that(check::stats().staged_bytes == 0, "no element is staged through a register");
    }
}

EXERCISE("drills/6_wait_prior") {
    LAB_CASE("the first wait leaves two copies in flight", 2) {
        std::vector<int> values = check::random_values<int>(192), expected;
        for (int& value : values)
            value %= 1000;
        for (int t = 0; t < 64; ++t)
            expected.push_back(values[63 - t]);
        for (int t = 0; t < 64; ++t)
            expected.push_back(values[127 - t] + values[191 - t]);
        const auto in = check::device(values), out = check::output<int>(128);
        check::call(in, out);
        check::equal(out, expected);
        check::that(check::stats().max_copy_groups >= 2, "the first wait leaves two copies in flight");
    }
}

EXERCISE("hunts/1_loader_warp") {
    void check_rows(int rows) {
        constexpr int COLUMNS = 512;
        const auto in = check::random<int>(rows * COLUMNS), out = check::output<int>(rows);
        std::vector<int> expected;
        for (int row = 0; row < rows; ++row)
            expected.push_back(*std::max_element(in.begin() + row * COLUMNS, in.begin() + (row + 1) * COLUMNS));
        check::call(in, out, rows);
        check::equal(out, expected);
    }

    LAB_CASE("one row for each block", 1) {
        check_rows(2);
    }

    LAB_CASE("several rows for each block", 2) {
        check_rows(7);
    }
}

EXERCISE("hunts/2_merged_copies") {
    void check_tiles(int tiles) {
        constexpr int TILE = 128;
        const auto in = check::random<float>(tiles * 2 * TILE), out = check::output<float>(tiles * TILE);
        std::vector<float> expected;
        for (int i = 0; i < tiles * TILE; ++i) {
            const int begin = i / TILE * 2 * TILE, t = i % TILE, m = TILE - 1 - t;
            expected.push_back(in[begin + TILE + t] * in[begin + t] - in[begin + TILE + m] * in[begin + m]);
        }
        check::call(in, out, tiles);
        check::equal(out, expected);
    }

    LAB_CASE("one tile for each block", 1) {
        check_tiles(2);
    }

    LAB_CASE("several tiles for each block", 2) {
        check_tiles(7);
    }
}

EXERCISE("hunts/3_packed_rows") {
    void check_image(int width, int height) {
        const auto in = check::random<float>(width * height), out = check::output<float>(width * height);
        std::vector<float> expected;
        for (int i = 0; i < width * height; ++i)
            expected.push_back(in[i / width * width + width - 1 - i % width]);
        check::call(in, out, width, height);
        check::equal(out, expected);
        check::that(check::stats().cp_async_bytes == width * height * sizeof(float),
                    "all rows are copied asynchronously");
    }

    LAB_CASE("a width that is a multiple of four", 1) {
        check_image(256, 5);
    }

    LAB_CASE("any width", 2) {
        check_image(150, 4);
        check_image(77, 4);
    }
}

} // namespace
