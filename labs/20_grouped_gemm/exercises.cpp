#include "check/check.h"

namespace {

EXERCISE("drills/1_in_turns") {
    struct Problem { // as in the kernel's file
        uint64_t d;
        int32_t m, n, first, padding;
    };

    void check_list(const std::vector<std::pair<int, int>>& sizes) {
        std::vector<check::Buffer<uint32_t>> d;
        std::vector<std::vector<uint32_t>> expected;
        std::vector<Problem> list;
        int tiles = 0;
        for (const auto& [m, n] : sizes) {
            d.push_back(check::output<uint32_t>(static_cast<size_t>(m * n)));
            list.push_back({d.back().address(), m, n, tiles, 0});
            const int down = (m + 7) / 8;
            std::vector<uint32_t>& numbers = expected.emplace_back(d.back().size());
            for (size_t i = 0; i < numbers.size(); ++i) {
                const int row = static_cast<int>(i) / n, column = static_cast<int>(i) % n;
                numbers[i] = static_cast<uint32_t>(tiles + column / 16 * down + row / 8);
            }
            tiles += down * ((n + 15) / 16);
        }
        check::call(check::device(list), static_cast<int>(list.size()), tiles);
        for (size_t g = 0; g < sizes.size(); ++g) {
            CAPTURE(g);
            if (!expected[g].empty())
                check::equal(d[g], expected[g],
                             {static_cast<size_t>(sizes[g].first), static_cast<size_t>(sizes[g].second)});
        }
    }

    LAB_CASE("two problems of one tile", 1) {
        check_list({{8, 16}, {5, 7}});
    }

    LAB_CASE("five problems, two of them empty", 2) {
        check_list({{20, 40}, {0, 16}, {0, 30}, {1, 100}, {33, 33}});
    }
}

EXERCISE("drills/2_what_differs") {
    void check_matrix(size_t rows, size_t columns, size_t pitch) {
        const auto d = check::output<uint32_t>(rows * pitch);
        check::call(d, static_cast<int>(rows), static_cast<int>(columns), static_cast<int>(pitch));
        std::vector<uint32_t> expected(rows * pitch);
        for (size_t row = 0; row < rows; ++row)
            for (size_t column = 0; column < columns; ++column)
                expected[row * pitch + column] = static_cast<uint32_t>(row * 1000 + column);
        check::equal(d, expected, {rows, columns, pitch, 4});
        check::that(check::stats().global_map_bytes == check::stats().tensor_store_bytes,
                    "the map is in global memory");
    }

    LAB_CASE("a matrix of 64 x 32", 1) {
        check_matrix(64, 32, 32);
    }

    LAB_CASE("ragged edges and a pitch", 2) {
        check_matrix(45, 70, 88);
    }
}

EXERCISE("drills/3_the_other_map") {
    struct Matrix { // as in the kernel's file
        uint64_t in;
        int32_t rows, first;
    };

    void check_batch(const std::vector<size_t>& rows) {
        std::vector<check::Buffer<uint32_t>> in;
        std::vector<Matrix> batch;
        std::vector<uint32_t> expected;
        for (const size_t count : rows) {
            in.push_back(check::random<uint32_t>(count * 32));
            batch.push_back({in.back().address(), static_cast<int32_t>(count), static_cast<int32_t>(expected.size())});
            const size_t first = expected.size();
            expected.resize(first + (count + 31) / 32);
            for (size_t i = 0; i < in.back().size(); ++i)
                expected[first + i / 1024] += in.back()[i];
        }
        const auto sums = check::output<uint32_t>(expected.size());
        check::call(check::device(batch), static_cast<int>(batch.size()), static_cast<int>(expected.size()), sums);
        check::equal(sums, expected);
        check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 2,
                    "loads of two matrices are in flight at once");
    }

    LAB_CASE("one tile each", 2) {
        check_batch({32, 5, 31, 17, 1, 32});
    }

    LAB_CASE("tiles for more than a lap", 1) {
        check_batch({40, 150, 64, 33, 200});
    }
}

EXERCISE("drills/4_the_way_out") {
    void check_parts(size_t parts) {
        const auto result = check::output<uint32_t>(parts * 256);
        check::call(result, static_cast<int>(parts));
        std::vector<uint32_t> expected(result.size());
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = static_cast<uint32_t>(i * i);
        check::equal(result, expected);
        check::that(check::stats().bulk_store_bytes == result.size() * 4, "bulk copies store the result");
    }

    LAB_CASE("one part", 1) {
        check_parts(1);
    }

    LAB_CASE("three laps", 2) {
        check_parts(6);
    }
}

EXERCISE("drills/5_split_k") {
    void check_product(size_t n, size_t k, size_t parts) {
        const auto a = check::random<float>(16 * k), b = check::random<float>(k * n), d = check::output<float>(16 * n);
        check::call(a, b, d, static_cast<int>(n), static_cast<int>(k), static_cast<int>(parts));
        std::vector<float> expected(d.size());
        for (size_t i = 0; i < expected.size(); ++i) {
            const size_t row = i % 256 / 16, column = i / 256 * 16 + i % 16;
            for (size_t j = 0; j < k; ++j)
                expected[i] += a[row * k + j] * b[j * n + column];
        }
        check::equal(d, expected, {n / 16, 16, 16});
        check::that(check::stats().bulk_store_bytes == parts * d.size() * sizeof(float),
                    "bulk reductions add the partial sums");
    }

    LAB_CASE("one part", 1) {
        check_product(16, 20, 1);
    }

    LAB_CASE("parts of different sizes", 2) {
        check_product(48, 100, 3);
    }
}

EXERCISE("hunts/1_even_and_odd") {
    struct Matrix { // as in the kernel's file
        uint64_t in, out;
        int32_t rows, padding;
    };

    void check_batch(const std::vector<size_t>& rows) {
        std::vector<check::Buffer<uint32_t>> in, out;
        std::vector<Matrix> batch;
        for (const size_t count : rows) {
            in.push_back(check::random<uint32_t>(count * 32));
            out.push_back(check::output<uint32_t>(count * 32));
            batch.push_back({in.back().address(), out.back().address(), static_cast<int32_t>(count), 0});
        }
        check::call(check::device(batch), static_cast<int>(batch.size()));
        for (size_t m = 0; m < rows.size(); ++m) {
            CAPTURE(m);
            std::vector<uint32_t> expected = in[m].values();
            for (uint32_t& value : expected)
                value = ~value;
            check::equal(out[m], expected, {rows[m], 32});
        }
    }

    LAB_CASE("two tiles each", 1) {
        check_batch({64, 50, 64});
    }

    LAB_CASE("different numbers of tiles", 2) {
        check_batch({32, 100, 64, 20, 20});
    }
}

EXERCISE("hunts/2_one_store_left") {
    void check_rows(size_t rows) {
        const auto in = check::random<uint32_t>(rows * 256), out = check::output<uint32_t>(rows * 256);
        check::call(in, out, static_cast<int>(rows));
        std::vector<uint32_t> expected(out.size());
        for (size_t row = 0; row < rows; ++row) {
            uint32_t sum = 0;
            for (size_t i = 0; i < 256; ++i)
                expected[row * 256 + i] = sum += in[row * 256 + i];
        }
        check::equal(out, expected);
    }

    LAB_CASE("two rows", 1) {
        check_rows(2);
    }

    LAB_CASE("many rows", 2) {
        check_rows(11);
    }
}

} // namespace
