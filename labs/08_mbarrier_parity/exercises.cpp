#include "check/check.h"

namespace {

EXERCISE("drills/1_count_arrivals") {
    LAB_CASE("both barriers complete", 1) {
        const auto in = check::random<int>(128), out = check::output<int>(128);
        check::call(in, out);
        std::vector<int> expected(128);
        for (unsigned i = 0; i < 128; ++i)
            expected[i] = static_cast<int>(unsigned(in[127 - (i ^ 64)]) + unsigned(in[i ^ 64]));
        check::equal(out, expected);
    }
}

EXERCISE("drills/2_ask_until_yes") {
    LAB_CASE("the table is complete before it is read", 1) {
        const auto in = check::random<int>(32), out = check::output<int>(32);
        check::call(in, out);
        std::vector<int> expected(32);
        for (size_t i = 0; i < 32; ++i)
            expected[i] = (in[i] & 31) * (in[i] & 31);
        check::equal(out, expected);
    }
}

EXERCISE("drills/3_one_bit") {
    void check_rounds(int rounds) {
        const auto in = check::random<unsigned>(64 * rounds), out = check::output<unsigned>(64);
        std::vector<unsigned> expected(64);
        for (int i = 0; i < 64 * rounds; ++i)
            expected[63 - i % 64] += in[i];
        check::call(in, out, rounds);
        check::equal(out, expected);
    }

    LAB_CASE("one round", 1) {
        check_rounds(1);
    }

    LAB_CASE("five rounds", 1) {
        check_rounds(5);
    }
}

EXERCISE("drills/4_parity_table") {
    LAB_CASE("eight tiles, four laps", 1) {
        const auto in = check::random<int>(256), out = check::output<int>(256);
        check::call(in, out);
        std::vector<int> expected(256);
        for (size_t i = 0; i < 256; ++i)
            expected[i] = in[i ^ 31];
        check::equal(out, expected);
    }
}

EXERCISE("drills/5_copies_arrive") {
    LAB_CASE("the tile is read when it has arrived", 1) {
        const auto in = check::random<int>(128), out = check::output<int>(128);
        check::call(in, out);
        std::vector<int> expected(128);
        for (size_t i = 0; i < 128; ++i)
            expected[i] = in[(i + 1) % 128];
        check::equal(out, expected);
        check::that(check::stats().waits == 0, "no thread waits for its own copies: the barrier tracks them");
    }
}

EXERCISE("drills/6_release_for_the_warp") {
    LAB_CASE("no tile is overwritten while a lane reads it", 1) {
        const auto in = check::random<int>(160), out = check::output<int>(160);
        check::call(in, out);
        std::vector<int> expected(160);
        for (size_t i = 0; i < 160; ++i)
            expected[i] = static_cast<int>(unsigned(in[i / 32 * 32 + (i + 1) % 32]) - unsigned(in[i]));
        check::equal(out, expected);
    }
}

EXERCISE("hunts/1_checksum_warp") {
    void check_packets(int count) {
        constexpr unsigned WORDS = 64, MASK = 0x5a3c0ff1;
        const auto packets = check::random<unsigned>(WORDS * count);
        const auto decoded = check::output<unsigned>(WORDS * count), checksums = check::output<unsigned>(count);
        check::call(packets, MASK, decoded, checksums, count);
        std::vector<unsigned> words = packets.values(), sums(count);
        for (size_t i = 0; i < words.size(); ++i) {
            sums[i / WORDS] += words[i];
            words[i] ^= MASK;
        }
        check::equal(decoded, words);
        check::equal(checksums, sums);
    }

    LAB_CASE("as many packets as stages", 1) {
        check_packets(3);
    }

    LAB_CASE("several laps of the ring", 2) {
        check_packets(10);
    }
}

EXERCISE("hunts/2_row_by_row") {
    void check_rows(int rows, int tiles) {
        const auto matrix = check::random<unsigned>(64 * rows * tiles), sums = check::output<unsigned>(rows);
        std::vector<unsigned> expected(rows);
        for (size_t i = 0; i < matrix.size(); ++i)
            expected[i / (64 * tiles)] += matrix[i];
        check::call(matrix, sums, rows, tiles);
        check::equal(sums, expected);
    }

    LAB_CASE("rows of six tiles", 1) {
        check_rows(4, 6);
    }

    LAB_CASE("rows of three tiles", 1) {
        check_rows(5, 3);
    }

    LAB_CASE("rows of four tiles", 1) {
        check_rows(6, 4);
    }
}

} // namespace
