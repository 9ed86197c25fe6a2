#include "check/check.h"

namespace {

EXERCISE("drills/1_other_sizes") {
    struct Matrix { // as in the kernel's file
        uint64_t in;
        int32_t rows, columns, pitch, padding;
    };

    LAB_CASE("five matrices", 2) {
        const int sizes[][3] = {{8, 16, 16}, {20, 40, 44}, {3, 30, 32}, {12, 5, 8}, {1, 1, 4}};
        std::vector<check::Buffer<float>> in;
        std::vector<Matrix> batch;
        std::vector<float> expected;
        for (const auto& [rows, columns, pitch] : sizes) {
            in.push_back(check::random<float>(static_cast<size_t>(rows * pitch)));
            batch.push_back({in.back().address(), rows, columns, pitch, 0});
            float sum = 0;
            for (int r = 0; r < std::min(rows, 8); ++r)
                for (int c = 0; c < std::min(columns, 16); ++c)
                    sum += in.back()[static_cast<size_t>(r * pitch + c)];
            expected.push_back(sum);
        }
        const auto sums = check::output<float>(batch.size());
        check::call(check::device(batch), sums, static_cast<int>(batch.size()));
        check::equal(sums, expected);
    }
}

EXERCISE("drills/2_rank_and_type") {
    LAB_CASE("19 rows", 2) {
        const auto in = check::random<uint16_t>(19 * 32), out = check::output<uint16_t>(19 * 32);
        check::call(in, out, 19);
        std::vector<uint16_t> expected = in.values();
        for (uint16_t& bits : expected)
            bits ^= 0x8000;
        check::equal(out, expected, {19, 32});
    }
}

EXERCISE("drills/3_publish") {
    LAB_CASE("three blocks", 2) {
        const auto in = check::random<float>(6 * 128), out = check::output<float>(3 * 128);
        std::vector<uint64_t> rows;
        std::vector<float> expected;
        for (const size_t first : {3, 0, 5}) {
            rows.push_back((in + first * 128).address());
            expected.insert(expected.end(), in.begin() + static_cast<int64_t>(first) * 128,
                            in.begin() + static_cast<int64_t>(first + 1) * 128);
        }
        check::call(check::device(rows), out, 3);
        check::equal(out, expected, {12, 32});
    }
}

EXERCISE("drills/4_each_block") {
    LAB_CASE("two clusters", 2) {
        const auto in = check::random<float>(5 * 256), out = check::output<float>(2 * 256);
        std::vector<uint64_t> parts;
        std::vector<float> expected;
        for (const size_t first : {4, 1}) {
            parts.push_back((in + first * 256).address());
            expected.insert(expected.end(), in.begin() + static_cast<int64_t>(first) * 256,
                            in.begin() + static_cast<int64_t>(first + 1) * 256);
        }
        check::call(check::device(parts), out, 2);
        check::equal(out, expected, {16, 32});
    }
}

EXERCISE("drills/5_the_next_kernel") {
    LAB_CASE("three maps", 2) {
        const auto in = check::random<float>(6 * 128), out = check::output<float>(3 * 128);
        std::vector<uint64_t> parts;
        std::vector<float> expected;
        for (const size_t first : {2, 5, 0}) {
            parts.push_back((in + first * 128).address());
            expected.insert(expected.end(), in.begin() + static_cast<int64_t>(first) * 128,
                            in.begin() + static_cast<int64_t>(first + 1) * 128);
        }
        check::call(check::device(parts), out, 3);
        check::equal(out, expected, {12, 32});
        check::that(check::stats().global_map_bytes == 3 * 512, "the copies use maps in global memory");
    }
}

EXERCISE("drills/6_before_the_next") {
    LAB_CASE("five matrices", 2) {
        const auto out = check::output<float>(5 * 128);
        std::vector<uint64_t> matrices;
        std::vector<float> expected(out.size());
        for (size_t m = 0; m < 5; ++m)
            matrices.push_back((out + (4 - m) * 128).address());
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = static_cast<float>((4 - i / 128) * 1000 + i % 128);
        check::call(check::device(matrices), 5);
        check::equal(out, expected, {20, 32});
    }
}

EXERCISE("hunts/1_packed_sequences") {
    void check_unpacked(const std::vector<int>& lengths, int longest) {
        std::vector<int> begin{0};
        for (const int length : lengths)
            begin.push_back(begin.back() + length);
        const auto tokens = check::random<float>(static_cast<size_t>(begin.back()) * 32);
        const auto out = check::output<float>(lengths.size() * static_cast<size_t>(longest) * 32);
        check::call(tokens, check::device(begin), out, static_cast<int>(lengths.size()), longest);
        std::vector<float> expected(out.size());
        for (size_t s = 0; s < lengths.size(); ++s)
            std::copy(tokens.begin() + begin[s] * 32, tokens.begin() + begin[s + 1] * 32,
                      expected.begin() + static_cast<int64_t>(s) * longest * 32);
        check::equal(out, expected, {lengths.size() * static_cast<size_t>(longest), 32});
    }

    LAB_CASE("one sequence", 1) {
        check_unpacked({11}, 12);
    }

    LAB_CASE("four sequences", 2) {
        check_unpacked({5, 20, 1, 13}, 20);
    }
}

EXERCISE("hunts/2_column_sums") {
    struct Matrix { // as in the kernel's file
        uint64_t in, sums;
        int32_t rows, padding;
    };

    void check_sums(size_t count) {
        std::vector<check::Buffer<float>> in, sums;
        std::vector<Matrix> batch;
        for (size_t m = 0; m < count; ++m) {
            const size_t rows = 1 + m * 7 % 30;
            in.push_back(check::random<float>(rows * 32));
            sums.push_back(check::output<float>(32));
            batch.push_back({in.back().address(), sums.back().address(), static_cast<int32_t>(rows), 0});
        }
        check::call(check::device(batch), static_cast<int>(count));
        for (size_t m = 0; m < count; ++m) {
            CAPTURE(m);
            std::vector<float> expected(32);
            for (size_t i = 0; i < in[m].size(); ++i)
                expected[i % 32] += in[m][i];
            check::equal(sums[m], expected);
        }
    }

    LAB_CASE("five matrices", 1) {
        check_sums(5);
    }

    LAB_CASE("twenty matrices", 2) {
        check_sums(20);
    }
}

} // namespace
