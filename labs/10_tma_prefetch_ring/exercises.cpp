#include "check/check.h"

namespace {

EXERCISE("drills/1_two_loaders") {
    LAB_CASE("five pairs of tiles", 1) {
        const auto left = check::random<int>(480), right = check::random<int>(480), out = check::output<int>(480);
        check::call(left, right, out, 5);
        std::vector<int> expected(480);
        for (size_t i = 0; i < 480; ++i)
            expected[i] = static_cast<int>(unsigned(left[i]) + unsigned(right[i]));
        check::equal(out, expected);
    }
}

EXERCISE("drills/2_next_stage") {
    void check_triple(int tiles) {
        const auto in = check::random<int>(64 * tiles), out = check::output<int>(64 * tiles);
        check::call(in, out, tiles);
        std::vector<int> expected(64 * tiles);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = static_cast<int>(3 * unsigned(in[i]));
        check::equal(out, expected);
    }

    LAB_CASE("one lap", 1) {
        check_triple(3);
    }

    LAB_CASE("several laps", 1) {
        check_triple(11);
    }
}

EXERCISE("drills/3_wait_announce_load") {
    void check_complement(int tiles) {
        const auto in = check::random<unsigned>(128 * tiles), out = check::output<unsigned>(128 * tiles);
        check::call(in, out, tiles);
        std::vector<unsigned> expected = in.values();
        for (unsigned& value : expected)
            value = ~value;
        check::equal(out, expected);
    }

    LAB_CASE("one lap", 1) {
        check_complement(2);
    }

    LAB_CASE("four laps", 2) {
        check_complement(8);
    }
}

EXERCISE("drills/4_all_stages_in_flight") {
    void check_scale(int tiles) {
        const auto in = check::random<int>(128 * tiles), out = check::output<int>(128 * tiles);
        check::call(in, out, tiles, -3);
        std::vector<int> expected(128 * tiles);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = static_cast<int>(0u - 3 * unsigned(in[i]));
        check::equal(out, expected);
    }

    LAB_CASE("fewer tiles than stages", 1) {
        check_scale(2);
    }

    LAB_CASE("every stage is in flight", 2) {
        check_scale(10);
        check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 4,
                    "a load is in flight in every stage");
    }
}

EXERCISE("drills/5_drain_before_exit") {
    void check_find(int tiles, int at) {
        std::vector<int> values = check::random_values<int>(128 * tiles);
        for (int& value : values)
            value |= 1;
        if (at >= 0)
            values[128 * at + 77] = 42;
        const auto in = check::device(values);
        const auto found = check::output<int>(1);
        check::call(in, tiles, 42, found);
        check::equal(found, {at});
    }

    LAB_CASE("not found", 1) {
        check_find(6, -1);
    }

    LAB_CASE("found early", 1) {
        check_find(9, 2);
    }

    LAB_CASE("found in the last tile", 1) {
        check_find(5, 4);
    }
}

EXERCISE("drills/6_what_may_leave_l2") {
    void check_product(size_t tiles) {
        constexpr size_t TILE = 256, GROUP = 4, FACTORS = 4 * TILE / GROUP;
        const auto in = check::random<uint32_t>(tiles * TILE), table = check::random<uint32_t>(FACTORS),
                   out = check::output<uint32_t>(tiles * TILE);
        check::call(in, table, out, static_cast<int>(tiles));
        std::vector<uint32_t> expected(out.size());
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = in[i] * table[i / GROUP % FACTORS];
        check::equal(out, expected);
        const uint64_t bytes = tiles * TILE * sizeof(uint32_t);
        check::that(check::stats().evict_first_bytes == bytes, "what is read once is loaded with evict_first");
        check::that(check::stats().evict_last_bytes == bytes / GROUP, "what is read again is loaded with evict_last");
    }

    LAB_CASE("one tile", 1) {
        check_product(1);
    }

    LAB_CASE("many tiles", 2) {
        check_product(13);
    }
}

EXERCISE("hunts/1_values_and_scales") {
    void check_dequantise(int n) {
        const auto values = check::random<int8_t>(n);
        const auto scales = check::random<float>(n / 32), out = check::output<float>(n);
        std::vector<float> expected(n);
        for (int i = 0; i < n; ++i)
            expected[i] = scales[i / 32] * static_cast<float>(values[i]);
        check::call(values, scales, out, n);
        check::equal(out, expected);
    }

    LAB_CASE("whole tiles", 1) {
        check_dequantise(2048);
    }

    LAB_CASE("a shorter last tile", 2) {
        check_dequantise(9 * 1024 + 384);
    }
}

EXERCISE("hunts/2_masked_tiles") {
    void check_sum(int tiles, unsigned period) {
        const auto in = check::random<unsigned>(128 * tiles), out = check::output<unsigned>(1);
        std::vector<unsigned char> flags(tiles);
        unsigned sum = 0;
        for (unsigned k = 0; k < flags.size(); ++k) {
            flags[k] = k % period != period - 1;
            for (size_t i = 0; flags[k] && i < 128; ++i)
                sum += in[128 * k + i];
        }
        const auto active = check::device(flags);
        check::call(in, active, tiles, out);
        check::equal(out, {sum});
    }

    LAB_CASE("all tiles are active", 1) {
        check_sum(14, 100);
    }

    LAB_CASE("every third tile is skipped", 2) {
        check_sum(26, 3);
    }
}

} // namespace
