#include <algorithm>

#include "check/check.h"

namespace {

EXERCISE("drills/1_token") {
    LAB_CASE("each thread has the other one's number", 2) {
        const auto in = check::random<int>(128), out = check::output<int>(128);
        check::call(in, out);
        std::vector<int> expected(128);
        for (size_t t = 0; t < 128; ++t) {
            unsigned own = in[t];
            for (int i = 0; i < 8; ++i)
                own = own * own + 1;
            expected[t] = static_cast<int>(own + 3 * unsigned(in[127 - t]));
        }
        check::equal(out, expected);
        check::that(check::stats().block_barriers <= 4, "the only __syncthreads() is the one after the initialisation");
    }
}

EXERCISE("drills/2_count") {
    LAB_CASE("every entry is filled before it is read", 2) {
        const auto in = check::random<int>(32), out = check::output<int>(64);
        std::vector<int> index(64), expected(64);
        for (size_t i = 0; i < 64; ++i) {
            index[i] = static_cast<int>(check::random_between(0, 31));
            expected[i] = static_cast<int>(unsigned(in[index[i]]) * unsigned(in[index[i]]));
        }
        check::call(in, check::device(index), out);
        check::equal(out, expected);
    }
}

EXERCISE("drills/3_arrive_on") {
    void check_pairs() {
        const auto in = check::random<int>(32), out = check::output<int>(32);
        check::call(in, out);
        std::vector<int> expected = in.values();
        for (size_t i = 31; i > 0; --i)
            expected[i] = static_cast<int>(unsigned(in[i]) + unsigned(in[i - 1]));
        check::equal(out, expected);
    }

    LAB_CASE("pairs of copied numbers", 1) {
        check_pairs();
    }

    LAB_CASE("the copying warp does not wait", 1) {
        check_pairs();
        check::that(check::stats().cp_async_bytes == 32 * sizeof(int), "cp.async copies each number once");
        check::that(check::stats().waits == 0, "no thread waits for its own copies");
    }
}

EXERCISE("drills/4_one_for_the_warp") {
    LAB_CASE("the sums of the squares", 2) {
        const auto in = check::random<int>(128), out = check::output<int>(32);
        check::call(in, out);
        std::vector<int> expected(32);
        for (size_t i = 0; i < 128; ++i) {
            int& sum = expected[31 - i % 32];
            sum = static_cast<int>(unsigned(sum) + unsigned(in[i]) * unsigned(in[i]));
        }
        check::equal(out, expected);
    }
}

EXERCISE("drills/5_drop_out") {
    LAB_CASE("the sum of each block", 2) {
        const auto in = check::random<int>(256), out = check::output<int>(2);
        check::call(in, out, 2);
        std::vector<int> expected(2);
        for (size_t i = 0; i < 256; ++i)
            expected[i / 128] = static_cast<int>(unsigned(expected[i / 128]) + unsigned(in[i]));
        check::equal(out, expected);
    }
}

EXERCISE("drills/6_native_handle") {
    LAB_CASE("the row is mirrored", 2) {
        const auto in = check::random<int>(64), out = check::output<int>(64);
        check::call(in, out);
        std::vector<int> expected(in.values().rbegin(), in.values().rend());
        check::equal(out, expected);
        check::that(check::stats().cp_async_bytes == 64 * sizeof(int), "cp.async copies each number once");
        check::that(check::stats().waits == 0, "no thread waits for its own copies");
    }
}

EXERCISE("hunts/1_a_warp_for_the_bias") {
    void check_bias(int rows, int columns) {
        const size_t n = size_t(rows) * columns;
        const auto in = check::random<int>(n), bias = check::random<int>(columns), out = check::output<int>(n);
        check::call(in, bias, out, static_cast<int>(n / 128), columns);
        std::vector<int> expected(n);
        for (size_t i = 0; i < n; ++i)
            expected[i] = std::max(static_cast<int>(unsigned(in[i]) + unsigned(bias[i % columns])), 0);
        check::equal(out, expected);
    }

    LAB_CASE("one tile", 1) {
        check_bias(1, 128);
    }

    LAB_CASE("several laps", 2) {
        check_bias(5, 384);
    }
}

EXERCISE("hunts/2_the_ends_of_the_rod") {
    void check_heat(int steps) {
        std::vector<int> start = check::random_values<int>(128), ends = check::random_values<int>(2 * (steps + 1));
        for (int& x : start)
            x %= 1 << 20;
        for (int& x : ends)
            x %= 1 << 20;
        std::vector<int> now = start, peak = start;
        for (int step = 0; step < steps; ++step) {
            const std::vector<int> from = now;
            for (int c = 0; c < 128; ++c) {
                const int left = c == 0 ? ends[2 * step] : from[c - 1],
                          right = c == 127 ? ends[2 * step + 1] : from[c + 1];
                now[c] = (left + 2 * from[c] + right) / 4;
                peak[c] = std::max(peak[c], now[c]);
            }
        }
        const auto result = check::output<int>(128), warmest = check::output<int>(128);
        check::call(check::device(start), check::device(ends), result, warmest, steps);
        check::equal(result, now);
        check::equal(warmest, peak);
    }

    LAB_CASE("one step", 1) {
        check_heat(1);
    }

    LAB_CASE("many steps", 2) {
        check_heat(9);
    }
}

} // namespace
