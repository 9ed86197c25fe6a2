#include <algorithm>

#include "check/check.h"

namespace {

EXERCISE("drills/1_two_barriers") {
    void check_rows(int rows) {
        constexpr int COLUMNS = 128;
        const auto in = check::random<int>(rows * COLUMNS), out = check::output<int>(rows * COLUMNS);
        check::call(in, out, rows);
        std::vector<int> expected;
        for (int i = 0; i < rows * COLUMNS; ++i)
            expected.push_back(in[i / COLUMNS * COLUMNS + COLUMNS - 1 - i % COLUMNS]);
        check::equal(out, expected);
    }

    LAB_CASE("one row", 1) {
        check_rows(1);
    }

    LAB_CASE("several rows", 1) {
        check_rows(4);
    }
}

EXERCISE("drills/2_window") {
    void check_sum(int n) {
        std::vector<int> values = check::random_values<int>(n), expected;
        for (int& value : values)
            value %= 1000;
        for (int i = 0; i < n; ++i)
            expected.push_back((i > 0 ? values[i - 1] : 0) + values[i] + (i + 1 < n ? values[i + 1] : 0));
        const auto in = check::device(values), out = check::output<int>(n);
        check::call(in, out, n);
        check::equal(out, expected);
    }

    LAB_CASE("several tiles", 1) {
        check_sum(3 * 128);
    }

    LAB_CASE("the last tile is ragged", 1) {
        check_sum(128 + 57);
        check_sum(1);
    }
}

EXERCISE("drills/3_loads_first") {
    LAB_CASE("the array is reversed", 2) {
        const auto x = check::random<int>(512);
        std::vector<int> expected = x.values();
        std::reverse(expected.begin(), expected.end());
        check::call(x);
        check::equal(x, expected);
    }
}

EXERCISE("drills/4_two_windows") {
    LAB_CASE("one barrier for each tile", 2) {
        constexpr int TILE = 128, TILES = 6;
        std::vector<int> values = check::random_values<int>(TILES * TILE), expected;
        for (int& value : values)
            value %= 1000;
        for (int i = 0; i < TILES * TILE; ++i)
            expected.push_back(values[i] + values[i / TILE * TILE + TILE - 1 - i % TILE]);
        const auto in = check::device(values), out = check::output<int>(TILES * TILE);
        check::call(in, out, TILES);
        check::equal(out, expected);
        check::that(check::stats().block_barriers <= TILES, "the block meets at one barrier for each tile");
    }
}

EXERCISE("drills/5_last_block") {
    LAB_CASE("the last block sees all parts", 2) {
        constexpr int BLOCKS = 12;
        std::vector<int> values = check::random_values<int>(BLOCKS * 32);
        int total = 0;
        for (int& value : values)
            total += value %= 1000;
        const auto in = check::device(values), parts = check::zeros<int>(BLOCKS);
        const auto counted = check::zeros<unsigned>(1);
        const auto out = check::output<int>(1);
        check::call(in, parts, counted, out, BLOCKS);
        check::equal(out, {total});
    }
}

EXERCISE("drills/6_flag") {
    LAB_CASE("every thread sees the message", 2) {
        const auto in = check::random<int>(4), out = check::output<int>(127);
        check::call(in, out);
        std::vector<int> expected;
        for (int t = 1; t < 128; ++t)
            expected.push_back(in[t % 4]);
        check::equal(out, expected);
    }
}

EXERCISE("drills/7_grid_sync") {
    LAB_CASE("each block has all sums", 2) {
        constexpr size_t BLOCKS = 6, THREADS = 128;
        const auto in = check::random<uint32_t>(BLOCKS * THREADS), sums = check::output<uint32_t>(BLOCKS),
                   out = check::output<uint32_t>(BLOCKS * THREADS);
        check::call(in, sums, out);
        uint32_t total = 0;
        for (const uint32_t value : in)
            total += value;
        std::vector<uint32_t> expected;
        for (const uint32_t value : in)
            expected.push_back(total - value);
        check::equal(out, expected);
        check::that(check::launches().size() == 1, "one launch does it all");
    }
}

EXERCISE("drills/8_flag_for_the_host") {
    LAB_CASE("the host uses the message while the kernel runs", 2) {
        using Kind = check::HostOperation::Kind;
        constexpr size_t THREADS = 128, WORDS = 4;
        const auto in = check::random<uint32_t>(THREADS), x = check::output<uint32_t>(THREADS),
                   squares = check::output<uint32_t>(THREADS),
                   heard = check::output<uint32_t>(WORDS, check::MemoryKind::pageable);
        check::call(in, x, squares, heard);
        std::vector<uint32_t> expected;
        for (const uint32_t value : in)
            expected.push_back(value * value);
        check::equal(squares, expected);
        check::equal(heard, {~in[0], ~in[1], ~in[2], ~in[3]});
        int launched = 0;
        for (const auto& operation : check::operations()) {
            launched += operation.kind == Kind::launch;
            check::that(operation.kind != Kind::host_wait || launched == 2,
                        "the host waits for the flag, and not for the kernel");
        }
    }
}

EXERCISE("hunts/1_even_part") {
    void check_rows(int rows) {
        constexpr int COLUMNS = 64;
        const auto in = check::random<float>(rows * COLUMNS), out = check::output<float>(rows * COLUMNS);
        std::vector<float> expected;
        for (int i = 0; i < rows * COLUMNS; ++i)
            expected.push_back((in[i] + in[i / COLUMNS * COLUMNS + (COLUMNS - i % COLUMNS) % COLUMNS]) / 2);
        check::call(in, out, rows);
        check::equal(out, expected);
    }

    LAB_CASE("a few rows", 1) {
        check_rows(3);
    }

    LAB_CASE("many rows", 2) {
        check_rows(27);
    }
}

EXERCISE("hunts/2_delta_encoder") {
    void check_channels(int n, int channels) {
        std::vector<int> values = check::random_values<int>(n * channels), expected;
        for (int& value : values)
            value %= 10000;
        for (int i = 0; i < n * channels; ++i)
            expected.push_back(values[i] - (i % n ? values[i - 1] : 0));
        const auto in = check::device(values), out = check::output<int>(n * channels);
        check::call(in, out, n, channels);
        check::equal(out, expected);
    }

    LAB_CASE("one tile", 1) {
        check_channels(200, 3);
    }

    LAB_CASE("several tiles", 2) {
        check_channels(5 * 256 + 100, 2);
    }
}

} // namespace
