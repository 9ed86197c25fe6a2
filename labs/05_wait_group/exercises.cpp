#include <algorithm>

#include "check/check.h"

namespace {

EXERCISE("drills/1_which_n") {
    LAB_CASE("each chunk is stored when it has arrived", 1) {
        const auto in = check::random<int>(384), out = check::output<int>(384);
        check::call(in, out);
        std::vector<int> expected = in.values();
        for (int& value : expected)
            value = -value;
        check::equal(out, expected);
    }

    LAB_CASE("no wait is longer than it needs to be", 1) {
        const auto in = check::random<int>(384), out = check::output<int>(384);
        check::call(in, out);
        check::that(check::stats().max_copy_groups >= 2, "the first wait leaves two groups in flight");
    }
}

EXERCISE("drills/2_one_group_each") {
    LAB_CASE("each chunk is complete when it is used", 1) {
        const auto prices = check::random<int>(384), quantities = check::random<int>(384),
                   out = check::output<int>(384);
        check::call(prices, quantities, out);
        std::vector<int> expected(384);
        for (size_t i = 0; i < 384; ++i)
            expected[i] = static_cast<int>(unsigned(prices[i]) * unsigned(quantities[i]));
        check::equal(out, expected);
        check::that(check::stats().cp_async_bytes == 2 * 384 * sizeof(int), "cp.async copies each number once");
    }
}

EXERCISE("drills/3_keep_counting") {
    void check_columns(int chunks) {
        const auto in = check::random<int>(64 * chunks), out = check::output<int>(64);
        check::call(in, out, chunks);
        std::vector<int> expected(64);
        for (size_t i = 0; i < in.size(); ++i)
            expected[i % 64] = static_cast<int>(unsigned(expected[i % 64]) + unsigned(in[i]));
        check::equal(out, expected);
    }

    LAB_CASE("many chunks", 1) {
        check_columns(10);
        check::that(!check::copies_end_late() || check::stats().max_copy_groups == 2,
                    "the waits leave two groups in flight");
    }

    LAB_CASE("hardly any chunks", 1) {
        for (const int chunks : {1, 2, 3})
            check_columns(chunks);
    }
}

EXERCISE("drills/4_wait_then_meet") {
    LAB_CASE("every row is mirrored", 1) {
        const auto in = check::random<float>(512), out = check::output<float>(512);
        check::call(in, out, 2);
        std::vector<float> expected = in.values();
        std::reverse(expected.begin(), expected.begin() + 256);
        std::reverse(expected.begin() + 256, expected.end());
        check::equal(out, expected);
    }
}

EXERCISE("drills/5_free_stage") {
    void check_tiles(int tiles) {
        const auto in = check::random<int>(64 * tiles), out = check::output<int>(64 * tiles);
        check::call(in, out, tiles);
        std::vector<int> expected(in.size());
        for (size_t i = 0; i < in.size(); ++i)
            expected[i] = in[i ^ 63];
        check::equal(out, expected);
    }

    LAB_CASE("several laps of the ring", 1) {
        check_tiles(8);
    }

    LAB_CASE("fewer tiles than stages", 1) {
        check_tiles(1);
        check_tiles(2);
    }
}

EXERCISE("hunts/1_stereo_echo") {
    void check_mix(int n) {
        std::vector<int> left = check::random_values<int>(n), right = check::random_values<int>(n), expected(n);
        for (int i = 0; i < n; ++i)
            left[i] %= 1 << 20, right[i] %= 1 << 20;
        for (int i = 0; i < n; ++i)
            expected[i] = (left[i] + right[i]) / 2 + (i % 128 == 0 ? 0 : (left[i - 1] + right[i - 1]) / 4);
        const auto out = check::output<int>(n);
        check::call(check::device(left), check::device(right), out, n);
        check::equal(out, expected);
    }

    LAB_CASE("a long file", 2) {
        check_mix(4 * 9 * 128);
        check::that(!check::copies_end_late() || check::stats().max_copy_groups >= 2,
                    "a wait leaves at least two tiles in flight");
    }

    LAB_CASE("any length", 1) {
        for (const int n : {1, 127, 1000})
            check_mix(n);
    }
}

EXERCISE("hunts/2_row_after_row") {
    void check_rows(int rows, int tiles) {
        const size_t width = 128 * tiles;
        const auto in = check::random<int>(rows * width), out = check::output<int>(rows * width);
        check::call(in, out, rows, tiles);
        std::vector<int> expected(in.size());
        for (size_t i = 0; i < in.size(); ++i)
            expected[i] = static_cast<int>(unsigned(in[i]) - (i % width == 0 ? 0u : unsigned(in[i - 1])));
        check::equal(out, expected, {.rows = size_t(rows), .columns = width});
    }

    LAB_CASE("one row for each block", 1) {
        check_rows(2, 5);
    }

    LAB_CASE("several rows for each block", 2) {
        for (const int tiles : {1, 2, 3, 4, 5})
            check_rows(5, tiles);
    }
}

} // namespace
