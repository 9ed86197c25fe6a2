#include "check/check.h"

namespace {

EXERCISE("drills/1_bytes_to_announce") {
    void check_negate(int n) {
        const auto in = check::random<float>(n), out = check::output<float>(n);
        check::call(in, out, n);
        std::vector<float> expected = in.values();
        for (float& value : expected)
            value = -value;
        check::equal(out, expected);
    }

    LAB_CASE("whole parts", 1) {
        check_negate(768);
    }

    LAB_CASE("a shorter last part", 1) {
        check_negate(1000);
    }
}

EXERCISE("drills/2_announce_and_load") {
    LAB_CASE("each block loads its row with one bulk copy", 2) {
        const auto in = check::random<int>(640), out = check::output<int>(640);
        check::call(in, out, 5);
        std::vector<int> expected(640);
        for (size_t i = 0; i < 640; ++i)
            expected[i] = in[i / 128 * 128 + 127 - i % 128];
        check::equal(out, expected);
        check::that(check::stats().bulk_load_bytes == 640 * sizeof(int), "cp.async.bulk loads each number once");
    }
}

EXERCISE("drills/3_fence_then_barrier") {
    LAB_CASE("the copy reads what the threads have written", 2) {
        const auto out = check::output<int>(1024);
        check::call(out, 4, -7, 100);
        std::vector<int> expected(1024);
        for (int i = 0; i < 1024; ++i)
            expected[i] = 100 - 7 * i;
        check::equal(out, expected);
        check::that(check::stats().bulk_store_bytes == 1024 * sizeof(int), "cp.async.bulk stores each number once");
    }
}

EXERCISE("drills/4_who_waits_for_the_store") {
    LAB_CASE("both tiles are stored from one buffer", 2) {
        const auto in = check::random<unsigned>(256), out = check::output<unsigned>(256);
        check::call(in, out, 0x5eed5eedu);
        std::vector<unsigned> expected = in.values();
        for (unsigned& value : expected)
            value ^= 0x5eed5eedu;
        check::equal(out, expected);
        check::that(check::stats().bulk_store_bytes == 256 * sizeof(unsigned), "cp.async.bulk stores each word once");
    }
}

EXERCISE("drills/5_read_or_written") {
    LAB_CASE("the stored table is read", 2) {
        const auto tables = check::output<int>(256), out = check::output<int>(256);
        const auto index = check::random<int>(256);
        check::call(tables, index, out);
        std::vector<int> table(256), expected(256);
        for (int i = 0; i < 256; ++i) {
            table[i] = i % 128 * (i % 128) + i / 128;
            expected[i] = (index[i] & 127) * (index[i] & 127) + i / 128;
        }
        check::equal(tables, table);
        check::equal(out, expected);
        check::that(check::stats().bulk_store_bytes == 256 * sizeof(int), "cp.async.bulk stores the tables");
    }
}

EXERCISE("drills/6_seven_steps") {
    void check_multiply(int tiles) {
        const auto data = check::random<int>(128 * tiles);
        check::call(data, tiles, 5);
        std::vector<int> expected = data.values();
        for (int& value : expected)
            value = static_cast<int>(5 * unsigned(value));
        check::equal(data, expected);
        check::that(check::stats().bulk_load_bytes == expected.size() * sizeof(int), "each number is loaded once");
        check::that(check::stats().bulk_store_bytes == expected.size() * sizeof(int), "each number is stored once");
    }

    LAB_CASE("one tile", 1) {
        check_multiply(1);
    }

    LAB_CASE("four tiles through one buffer", 2) {
        check_multiply(4);
    }
}

EXERCISE("drills/7_barrier_of_cpp") {
    LAB_CASE("the bulk copy completes the C++ barrier", 2) {
        const auto in = check::random<int>(384), out = check::output<int>(384);
        check::call(in, out, 3);
        std::vector<int> expected(384);
        for (size_t i = 0; i < 384; ++i)
            expected[i] = static_cast<int>(unsigned(in[i / 128 * 128 + (i + 1) % 128]) - unsigned(in[i]));
        check::equal(out, expected);
        check::that(check::stats().bulk_load_bytes == 384 * sizeof(int), "a bulk copy loads each number once");
    }
}

EXERCISE("drills/8_some_bytes_of_sixteen") {
    LAB_CASE("alpha stays", 2) {
        const size_t blocks = 3, pixels = blocks * 128;
        const auto image = check::random<uint8_t>(4 * pixels), colours = check::random<uint8_t>(3 * pixels);
        check::call(image, colours, static_cast<int>(blocks));
        std::vector<uint8_t> expected = image.values();
        for (size_t i = 0; i < 3 * pixels; ++i)
            expected[i / 3 * 4 + i % 3] = colours[i];
        check::equal(image, expected, {pixels, 3, 4}); // alpha is like padding
        check::that(check::stats().bulk_store_bytes > 0, "bulk copies store the colours");
        check::that(check::stats().global_load_bytes <= colours.size(), "no thread loads alpha");
    }
}

EXERCISE("hunts/1_last_block_reads") {
    LAB_CASE("totals and the largest of them", 3) {
        constexpr int ROWS = 24, COLUMNS = 128;
        std::vector<int> values(ROWS * COLUMNS);
        for (int& value : values)
            value = static_cast<int>(check::random_between(-1000, 1000));
        const auto matrix = check::device(values);
        const auto totals = check::output<int>(COLUMNS), largest = check::output<int>(1);
        std::vector<int> expected(COLUMNS);
        for (size_t i = 0; i < values.size(); ++i)
            expected[i % COLUMNS] += values[i];
        check::call(matrix, ROWS, totals, largest);
        check::equal(totals, expected);
        check::equal(largest, {*std::max_element(expected.begin(), expected.end())});
        check::that(check::stats().bulk_store_bytes == 4 * COLUMNS * sizeof(int), "each block adds its sums by bulk");
    }
}

EXERCISE("hunts/2_a_warp_for_stores") {
    void check_fade(int n) {
        const auto signal = check::random<float>(n);
        std::vector<float> expected = signal.values();
        for (int i = 0; i < n; ++i)
            expected[i] *= static_cast<float>(n - i) / static_cast<float>(n);
        check::call(signal, n);
        check::equal(signal, expected);
    }

    LAB_CASE("one tile for each block", 1) {
        check_fade(512);
    }

    LAB_CASE("several tiles for each block", 2) {
        check_fade(2048);
    }
}

} // namespace
