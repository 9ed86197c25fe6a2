#include <algorithm>
#include <climits>

#include "check/check.h"

namespace {

EXERCISE("drills/1_four_calls") {
    void check_squares(int chunks) {
        const auto in = check::random<int>(64 * chunks), out = check::output<int>(64);
        check::call(in, out, chunks);
        std::vector<int> expected(64);
        for (size_t i = 0; i < in.size(); ++i)
            expected[i % 64] = static_cast<int>(unsigned(expected[i % 64]) + unsigned(in[i]) * unsigned(in[i]));
        check::equal(out, expected);
        check::that(check::stats().cp_async_bytes == in.size() * sizeof(int), "cp.async copies each number once");
    }

    LAB_CASE("one chunk", 1) {
        check_squares(1);
    }

    LAB_CASE("several chunks", 1) {
        check_squares(3);
    }
}

EXERCISE("drills/2_wait_prior") {
    void check_largest(int chunks) {
        const auto in = check::random<int>(64 * chunks), out = check::output<int>(64);
        check::call(in, out, chunks);
        std::vector<int> expected(64, INT_MIN);
        for (size_t i = 0; i < in.size(); ++i)
            expected[i % 64] = std::max(expected[i % 64], in[i]);
        check::equal(out, expected);
    }

    LAB_CASE("any number of chunks", 1) {
        for (const int chunks : {1, 2, 7})
            check_largest(chunks);
    }

    LAB_CASE("the next chunk stays in flight", 1) {
        check_largest(6);
        check::that(!check::copies_end_late() || check::stats().max_copy_groups == 1,
                    "the wait leaves one stage in flight");
    }
}

EXERCISE("drills/3_block_scope") {
    LAB_CASE("every row is mirrored", 1) {
        const auto in = check::random<int>(128), out = check::output<int>(128);
        check::call(in, out, 2);
        std::vector<int> expected(128);
        for (size_t i = 0; i < 128; ++i)
            expected[i] = in[i ^ 63];
        check::equal(out, expected);
    }

    LAB_CASE("the pipeline makes the threads meet", 1) {
        const auto in = check::random<int>(64), out = check::output<int>(64);
        check::call(in, out, 1);
        check::that(check::stats().cp_async_bytes == 64 * sizeof(int), "cp.async copies each number once");
        check::that(check::stats().mbarrier_waits > 0, "threads wait on the barriers of the stage");
        check::that(check::stats().waits == 0, "no thread waits for its own copies");
    }
}

EXERCISE("drills/4_give_it_back") {
    void check_tiles(int tiles) {
        const auto in = check::random<int>(64 * tiles), out = check::output<int>(64 * tiles);
        check::call(in, out, tiles);
        std::vector<int> expected(in.size());
        for (size_t i = 0; i < in.size(); ++i)
            expected[i] = in[i ^ 63];
        check::equal(out, expected);
    }

    LAB_CASE("several laps", 2) {
        check_tiles(6);
    }

    LAB_CASE("fewer tiles than stages", 1) {
        check_tiles(1);
    }
}

EXERCISE("drills/5_even_and_odd") {
    LAB_CASE("every tile is mirrored and negated", 2) {
        for (const int tiles : {1, 5}) {
            const auto in = check::random<int>(32 * tiles), out = check::output<int>(32 * tiles);
            check::call(in, out, tiles);
            std::vector<int> expected(in.size());
            for (size_t i = 0; i < in.size(); ++i)
                expected[i] = static_cast<int>(0u - unsigned(in[i ^ 31]));
            check::equal(out, expected);
        }
    }
}

EXERCISE("drills/6_quit") {
    LAB_CASE("both passes", 2) {
        const auto in = check::random<int>(128), sums = check::output<int>(32), out = check::output<int>(64);
        check::call(in, sums, out);
        std::vector<int> expected_sums(32), expected(64);
        for (size_t i = 0; i < 32; ++i)
            expected_sums[i] = static_cast<int>(unsigned(in[i]) + unsigned(in[63 - i]));
        for (size_t i = 0; i < 64; ++i)
            expected[i] = in[127 - i];
        check::equal(sums, expected_sums);
        check::equal(out, expected);
    }
}

EXERCISE("hunts/1_a_second_producer") {
    void check_sum(int tiles) {
        const auto in = check::random<uint32_t>(256 * tiles), total = check::output<uint32_t>(1);
        check::call(in, total, tiles);
        uint32_t expected = 0;
        for (size_t i = 0; i < in.size(); ++i)
            expected += in[i] * static_cast<uint32_t>(2 * (i % 256) + 1);
        check::equal(total, {expected});
    }

    LAB_CASE("one tile", 1) {
        check_sum(1);
    }

    LAB_CASE("several laps in each block", 2) {
        check_sum(3 * 7 + 1);
    }
}

EXERCISE("hunts/2_right_with_one_block") {
    void check_gamma(int tiles, int blocks) {
        const auto in = check::random<uint32_t>(128 * tiles), table = check::random<uint32_t>(256);
        const auto out = check::output<uint32_t>(128 * tiles);
        check::call(in, table, out, tiles, blocks);
        std::vector<uint32_t> expected(in.size());
        for (size_t i = 0; i < in.size(); ++i)
            expected[i] = table[in[i] % 256];
        check::equal(out, expected);
    }

    LAB_CASE("one block", 1) {
        check_gamma(9, 1);
    }

    LAB_CASE("several blocks", 2) {
        check_gamma(17, 3);
    }
}

} // namespace
