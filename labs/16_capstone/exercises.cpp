#include "check/check.h"

namespace {

EXERCISE("drills/1_a_run_of_tiles") {
    struct Matrix { // as in the kernel's file
        uint64_t in, out;
        int32_t rows, columns, first, padding;
    };

    void check_batch(const std::vector<std::pair<int, int>>& sizes) {
        std::vector<check::Buffer<uint32_t>> in, out;
        std::vector<Matrix> batch;
        int tiles = 0;
        for (const auto& [rows, columns] : sizes) {
            in.push_back(check::random<uint32_t>(static_cast<size_t>(rows * columns)));
            out.push_back(check::output<uint32_t>(static_cast<size_t>(rows * columns)));
            batch.push_back({in.back().address(), out.back().address(), rows, columns, tiles, 0});
            tiles += (rows + 31) / 32 * ((columns + 31) / 32);
        }
        check::call(check::device(batch), static_cast<int>(batch.size()), tiles);
        for (size_t m = 0; m < sizes.size(); ++m) {
            CAPTURE(m);
            std::vector<uint32_t> expected = in[m].values();
            for (uint32_t& value : expected)
                ++value;
            check::equal(out[m], expected, {static_cast<size_t>(sizes[m].first), static_cast<size_t>(sizes[m].second)});
        }
    }

    LAB_CASE("three tiles", 1) {
        check_batch({{40, 20}, {5, 7}});
    }

    LAB_CASE("23 tiles of four matrices", 2) {
        check_batch({{100, 70}, {1, 1}, {33, 64}, {60, 90}});
    }
}

EXERCISE("drills/2_two_roles") {
    std::vector<uint32_t> tile_sums(const std::vector<uint32_t>& in, size_t rows, size_t columns) {
        const size_t across = (columns + 31) / 32;
        std::vector<uint32_t> sums((rows + 31) / 32 * across);
        for (size_t i = 0; i < in.size(); ++i)
            sums[i / columns / 32 * across + i % columns / 32] += in[i];
        return sums;
    }

    LAB_CASE("three laps of the ring", 3) {
        constexpr size_t rows = 160, columns = 140;
        const auto in = check::random<uint32_t>(rows * columns);
        const std::vector<uint32_t> expected = tile_sums(in.values(), rows, columns);
        const auto sums = check::zeros<uint32_t>(expected.size());
        check::call(in, sums, static_cast<int>(rows), static_cast<int>(columns));
        check::equal(sums, expected);
        check::that(!check::copies_end_late() || check::stats().max_phases_in_flight >= 3,
                    "several stages are in flight at once");
    }
}

EXERCISE("drills/3_four_by_four") {
    LAB_CASE("a matrix of 44 x 60", 3) {
        constexpr size_t rows = 44, columns = 60;
        const auto in = check::random<uint32_t>(rows * columns), out = check::output<uint32_t>(rows * columns);
        check::call(in, out, static_cast<int>(rows), static_cast<int>(columns));
        std::vector<uint32_t> expected(rows * columns);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i % columns * rows + i / columns] = in[i];
        check::equal(out, expected, {columns, rows});
        const auto& seen = check::stats();
        check::that(seen.tensor_store_bytes == rows * columns * sizeof(uint32_t), "tensor copies store the result");
        check::that(seen.shared_bank_cycles <= seen.shared_accesses + seen.shared_accesses / 50,
                    "no access to a tile has bank conflicts");
    }
}

EXERCISE("drills/4_a_map_for_each_stage") {
    struct Matrix { // as in the kernel's file
        uint64_t in;
        int32_t rows, first;
    };

    // Returns how many fields of maps the kernel has replaced.
    uint64_t check_batch(const std::vector<size_t>& rows) {
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
        return check::stats().map_replacements;
    }

    LAB_CASE("small matrices", 2) {
        check_batch({32, 5, 64, 33, 1, 70});
    }

    LAB_CASE("maps are made only when the matrix changes", 1) {
        check::that(check_batch({320}) == 3 * 2, "each of the three maps is made once, with two fields replaced");
    }
}

EXERCISE("hunts/1_one_more_warp") {
    void check_scaled(size_t rows, size_t columns) {
        const auto in = check::random<uint32_t>(rows * columns), factors = check::random<uint32_t>(rows);
        const auto out = check::output<uint32_t>(rows * columns);
        check::call(in, factors, out, static_cast<int>(rows), static_cast<int>(columns));
        std::vector<uint32_t> expected(rows * columns);
        for (size_t i = 0; i < expected.size(); ++i)
            expected[i] = in[i] * factors[i / columns];
        check::equal(out, expected, {rows, columns});
    }

    LAB_CASE("one tile", 1) {
        check_scaled(20, 32);
    }

    LAB_CASE("several tiles for each block", 2) {
        check_scaled(130, 100);
    }
}

EXERCISE("hunts/2_the_next_matrix") {
    void check_sums(const std::vector<int>& rows) {
        size_t all = 0;
        for (const int count : rows)
            all += static_cast<size_t>(count) * 32;
        const auto in = check::random<uint32_t>(all), sums = check::output<uint32_t>(4);
        check::call(in, rows[0], rows[1], rows[2], rows[3], sums);
        std::vector<uint32_t> expected(4);
        for (size_t m = 0, i = 0; m < 4; ++m)
            for (const size_t end = i + static_cast<size_t>(rows[m]) * 32; i < end; ++i)
                expected[m] += in[i];
        check::equal(sums, expected);
    }

    LAB_CASE("four tiles each", 1) {
        check_sums({128, 128, 100, 128});
    }

    LAB_CASE("different sizes", 2) {
        check_sums({40, 200, 32, 97});
    }
}

} // namespace
