#include "check/check.h"

namespace {

uint16_t to_bf16(float value) { // for values that are exact in bf16
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<uint16_t>(bits >> 16);
}

std::vector<uint16_t> bits(const std::vector<float>& values) {
    std::vector<uint16_t> result;
    for (const float value : values)
        result.push_back(to_bf16(value));
    return result;
}

EXERCISE("drills/1_which_row") {
    LAB_CASE("the operand A of mma.sync", 1) {
        const auto in = check::random<uint16_t>(256);
        const auto out = check::output<uint32_t>(128);
        check::call(in, out);
        std::vector<uint32_t> expected(128);
        for (size_t i = 0; i < 4; ++i)
            for (size_t lane = 0; lane < 32; ++lane) {
                const size_t at = (i % 2 * 8 + lane / 4) * 16 + i / 2 * 8 + lane % 4 * 2;
                expected[32 * i + lane] = in[at] | uint32_t{in[at + 1]} << 16;
            }
        check::equal(out, expected);
        check::that(check::stats().shared_load_bytes == 512, "one ldmatrix loads all four matrices");
    }
}

EXERCISE("drills/2_whose_sum") {
    LAB_CASE("the product", 1) {
        const auto values_a = check::random_values<float>(256), values_b = check::random_values<float>(128);
        std::vector<uint16_t> bits_a, bits_b;
        for (const float value : values_a)
            bits_a.push_back(to_bf16(value));
        for (const float value : values_b)
            bits_b.push_back(to_bf16(value));
        const auto out = check::output<float>(128);
        check::call(check::device(bits_a), check::device(bits_b), out);
        std::vector<float> expected(128);
        for (size_t i = 0; i < 128; ++i)
            for (size_t k = 0; k < 16; ++k)
                expected[i] += values_a[i / 8 * 16 + k] * values_b[i % 8 * 16 + k];
        check::equal(out, expected, {16, 8});
    }
}

EXERCISE("drills/3_half_a_line") {
    struct Chunk {
        uint16_t element[8];
    };

    void check_fragments() {
        const auto elements = check::random_values<uint16_t>(512);
        std::vector<Chunk> chunks(64);
        std::memcpy(chunks.data(), elements.data(), 64 * sizeof(Chunk));
        const auto in = check::device(chunks);
        const auto out = check::output<uint32_t>(256);
        check::call(in, out);
        std::vector<uint32_t> expected(256);
        for (size_t i = 0; i < 256; ++i) {
            const size_t lane = i % 32, row = i / 32 % 2 * 8 + lane / 4, column = i / 64 * 8 + lane % 4 * 2;
            expected[i] = elements[32 * row + column] | uint32_t{elements[32 * row + column + 1]} << 16;
        }
        check::equal(out, expected);
    }

    LAB_CASE("two steps of a tile", 1) {
        check_fragments();
    }

    LAB_CASE("no bank conflicts", 2) {
        check_fragments();
        const auto& seen = check::stats();
        check::that(seen.shared_store_bytes == 1024 && seen.shared_load_bytes == 1024,
                    "the tile is in shared memory once");
        check::that(seen.shared_bank_cycles == seen.shared_accesses, "no access to shared memory has bank conflicts");
    }
}

EXERCISE("drills/4_transposed") {
    LAB_CASE("the operands of B", 1) {
        const auto in = check::random<uint16_t>(256);
        const auto out = check::output<uint32_t>(128);
        check::call(in, out);
        std::vector<uint32_t> expected(128);
        for (size_t i = 0; i < 4; ++i)
            for (size_t lane = 0; lane < 32; ++lane) {
                const size_t k = i % 2 * 8 + lane % 4 * 2, n = i / 2 * 8 + lane / 4;
                expected[32 * i + lane] = in[16 * k + n] | uint32_t{in[16 * (k + 1) + n]} << 16;
            }
        check::equal(out, expected);
        check::that(check::stats().shared_load_bytes == 512, "one ldmatrix loads all four matrices");
    }
}

EXERCISE("drills/5_one_round_ahead") {
    void check_reversed(size_t tiles) {
        const auto in = check::random<int>(128 * tiles), out = check::output<int>(128 * tiles);
        check::call(in, out, static_cast<int>(tiles));
        std::vector<int> expected(128 * tiles);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = in[i / 128 * 128 + 127 - i % 128];
        check::equal(out, expected);
        check::brought_by_copies(in);
    }

    LAB_CASE("few tiles", 1) {
        for (const size_t tiles : {1, 2, 3})
            check_reversed(tiles);
    }

    LAB_CASE("no wait is longer than it needs to be", 2) {
        check_reversed(10);
        check::that(check::stats().block_barriers <= 11, "one barrier in each round");
        check::that(!check::copies_end_late() || check::stats().max_copy_groups >= 2,
                    "the first wait leaves two groups in flight");
        check::that(2 * check::stats().instructions_under_copies >= check::stats().thread_instructions,
                    "copies are in flight all the time");
    }
}

EXERCISE("hunts/1_scores") {
    void check_scores(size_t rows, size_t count) {
        const auto queries = check::random_values<float>(rows * 64), keys = check::random_values<float>(count * 64);
        const auto out = check::output<float>(rows * count);
        check::call(check::device(bits(queries)), check::device(bits(keys)), out, static_cast<int>(rows),
                    static_cast<int>(count));
        std::vector<float> expected(rows * count);
        for (size_t i = 0; i < expected.size(); ++i)
            for (size_t k = 0; k < 64; ++k)
                expected[i] += queries[i / count * 64 + k] * keys[i % count * 64 + k];
        check::equal(out, expected, {rows, count});
    }

    LAB_CASE("one tile of keys", 1) {
        check_scores(64, 32);
    }

    LAB_CASE("many tiles of keys", 2) {
        check_scores(128, 160);
    }
}

EXERCISE("hunts/2_every_warp_alone") {
    void check_layer(size_t m, size_t n, size_t k) {
        const auto input = check::random_values<float>(m * k), weights = check::random_values<float>(n * k);
        const auto out = check::output<float>(m * n);
        check::call(check::device(bits(input)), check::device(bits(weights)), out, static_cast<int>(m),
                    static_cast<int>(n), static_cast<int>(k));
        std::vector<float> expected(m * n);
        for (size_t i = 0; i < expected.size(); ++i)
            for (size_t j = 0; j < k; ++j)
                expected[i] += input[i / n * k + j] * weights[i % n * k + j];
        check::equal(out, expected, {m, n});
    }

    LAB_CASE("one step", 1) {
        check_layer(64, 32, 32);
    }

    LAB_CASE("several tiles", 2) {
        check_layer(128, 64, 192);
    }
}

} // namespace
