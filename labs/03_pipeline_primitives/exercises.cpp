#include "check/check.h"

namespace {

EXERCISE("drills/1_commit_and_wait") {
    LAB_CASE("the copy is complete", 1) {
        const auto in = check::random<int>(128), out = check::output<int>(128);
        check::call(in, out);
        std::vector<int> expected = in.values();
        for (int& value : expected)
            value = -value;
        check::equal(out, expected);
    }
}

EXERCISE("drills/2_wait_then_barrier") {
    LAB_CASE("the copies of all threads are complete", 1) {
        const auto in = check::random<int>(128), out = check::output<int>(128);
        check::call(in, out);
        std::vector<int> expected;
        for (int t = 0; t < 128; ++t)
            expected.push_back(in[127 - t]);
        check::equal(out, expected);
    }
}

EXERCISE("drills/3_zeros") {
    void check_sums(int n) {
        std::vector<int> values = check::random_values<int>(n), expected((n + 3) / 4);
        for (int i = 0; i < n; ++i)
            expected[i / 4] += values[i] = 1 + (values[i] & 1023);
        const auto in = check::device(values), out = check::output<int>(expected.size());
        check::call(in, out, n);
        check::equal(out, expected);
    }

    LAB_CASE("a multiple of four", 1) {
        check_sums(300);
    }

    LAB_CASE("one, two or three integers are left", 1) {
        for (const int rest : {1, 2, 3})
            check_sums(260 + rest);
    }
}

EXERCISE("drills/4_empty_groups") {
    LAB_CASE("the last tile is complete, too", 2) {
        for (const int tiles : {5, 2, 1}) {
            const auto in = check::random<int>(64 * tiles), out = check::output<int>(64 * tiles);
            check::call(in, out, tiles);
            std::vector<int> expected = in.values();
            for (int& value : expected)
                value = -value;
            check::equal(out, expected);
        }
        check::that(check::stats().waits > 0, "the threads wait for their copies");
    }
}

EXERCISE("drills/5_two_buffers") {
    LAB_CASE("each tile is reversed", 2) {
        for (const int tiles : {6, 1}) {
            const int n = 128 * tiles;
            const auto in = check::random<int>(n), out = check::output<int>(n);
            check::call(in, out, tiles);
            std::vector<int> expected;
            for (int i = 0; i < n; ++i)
                expected.push_back(in[i / 128 * 128 + 127 - i % 128]);
            check::equal(out, expected);
        }
    }
}

EXERCISE("drills/6_shared_address") {
    LAB_CASE("the copies reach shared memory", 1) {
        const auto in = check::random<int>(64), out = check::output<int>(64);
        check::call(in, out);
        std::vector<int> expected = in.values();
        for (int& value : expected)
            value = -value;
        check::equal(out, expected);
    }
}

EXERCISE("hunts/1_ragged_rows") {
    void check_differences(int n) {
        constexpr int TILE = 128;
        const auto in = check::random<float>(n), out = check::output<float>(n);
        std::vector<float> expected;
        for (int i = 0; i < n; ++i) {
            const int other = i / TILE * TILE + (i + TILE / 2) % TILE;
            expected.push_back(other < n ? in[i] - in[other] : in[i]);
        }
        check::call(in, out, n);
        check::equal(out, expected);
    }

    LAB_CASE("whole tiles", 1) {
        check_differences(6 * 128);
    }

    LAB_CASE("a ragged tile at the end", 2) {
        check_differences(6 * 128 + 50);
        check_differences(70);
    }
}

EXERCISE("hunts/2_in_place") {
    void check_rows(int n, int count) {
        std::vector<int> values = check::random_values<int>(n * count), expected;
        for (int& value : values)
            value %= 10000;
        for (int i = 0; i < n * count; ++i)
            expected.push_back(values[i] - (i % n ? values[i - 1] : 0));
        const auto rows = check::device(values);
        check::call(rows, n, count);
        check::equal(rows, expected);
    }

    LAB_CASE("one tile", 1) {
        check_rows(100, 3);
    }

    LAB_CASE("several tiles", 2) {
        check_rows(4 * 128 + 20, 2);
    }
}

} // namespace
