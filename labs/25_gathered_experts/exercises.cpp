#include "check/check.h"

namespace {

constexpr size_t COLUMNS = 32; // of a row

// Numbers of rows of a table of `count`, some of which it does not have.
std::vector<int32_t> numbers(size_t many, size_t count) {
    std::vector<int32_t> index(many);
    for (size_t i = 0; i < many; ++i)
        index[i] = static_cast<int32_t>(i % 7 == 3 ? count + i : (5 * i + 3) % count);
    return index;
}

EXERCISE("drills/1_gather_four_rows") {
    LAB_CASE("rows of a table", 2) {
        constexpr size_t blocks = 3, rows = 16 * blocks, count = 40;
        const auto values = check::random_values<float>(count * COLUMNS);
        const auto index = numbers(rows, count);
        const auto table = check::device(values);
        const auto out = check::output<float>(rows * COLUMNS);
        check::call(table, int{count}, check::device(index), out, int{blocks});
        std::vector<float> expected(rows * COLUMNS);
        for (size_t i = 0; i < expected.size(); ++i)
            if (const auto row = static_cast<size_t>(index[i / COLUMNS]); row < count)
                expected[i] = values[row * COLUMNS + i % COLUMNS];
        check::equal(out, expected, {rows, COLUMNS});
        check::brought_by_copies(table);
        check::that(check::stats().gathered_bytes == rows * COLUMNS * sizeof(float), "gather4 loads each row once");
    }
}

EXERCISE("drills/2_scatter_four_rows") {
    LAB_CASE("rows of a result", 2) {
        constexpr size_t blocks = 3, rows = 16 * blocks, count = 47; // 5 * i + 3 names each of 47 rows once
        const auto values = check::random_values<float>(rows * COLUMNS);
        std::vector<int32_t> index(rows);
        for (size_t i = 0; i < rows; ++i)
            index[i] = static_cast<int32_t>(i < count ? (5 * i + 3) % count : i); // the last one is none of them
        const auto out = check::output<float>(count * COLUMNS);
        check::call(check::device(values), check::device(index), out, int{count}, int{blocks});
        std::vector<float> expected(count * COLUMNS);
        for (size_t i = 0; i < count * COLUMNS; ++i)
            expected[static_cast<size_t>(index[i / COLUMNS]) * COLUMNS + i % COLUMNS] = 2 * values[i];
        check::equal(out, expected, {count, COLUMNS});
        check::that(check::stats().gathered_bytes == count * COLUMNS * sizeof(float), "scatter4 stores each row once");
    }
}

// Tiles of `size` elements, doubled.
void check_tiles(size_t tiles, size_t size) {
    const auto values = check::random_values<float>(tiles * size);
    const auto out = check::output<float>(tiles * size);
    check::call(check::device(values), out, static_cast<int>(tiles));
    std::vector<float> expected;
    for (const float value : values)
        expected.push_back(2 * value);
    check::equal(out, expected);
    // There is no room for all blocks at once.
    check::that(check::copies_end_late() || check::stats().cancelled_clusters > 0,
                "running blocks request tiles of blocks that have not started");
}

EXERCISE("drills/3_take_over_a_tile") {
    LAB_CASE("many tiles", 2) {
        check_tiles(150, 64);
    }
}

EXERCISE("drills/4_release_the_response") {
    LAB_CASE("many tiles", 2) {
        check_tiles(80, 96);
    }
}

EXERCISE("hunts/1_after_the_last_response") {
    LAB_CASE("many tiles", 2) {
        check_tiles(80, 96);
    }
}

EXERCISE("hunts/2_one_row_in_four") {
    LAB_CASE("sums of rows", 2) {
        constexpr size_t blocks = 2, rows = 96, count = 300;
        const auto values = check::random_values<float>(count * COLUMNS);
        const auto index = numbers(blocks * rows, count);
        const auto out = check::output<float>(blocks * COLUMNS);
        check::call(check::device(values), int{count}, check::device(index), out, int{blocks});
        std::vector<float> expected(blocks * COLUMNS);
        for (size_t i = 0; i < blocks * rows; ++i)
            if (const auto row = static_cast<size_t>(index[i]); row < count)
                for (size_t c = 0; c < COLUMNS; ++c)
                    expected[i / rows * COLUMNS + c] += values[row * COLUMNS + c];
        check::equal(out, expected, {blocks, COLUMNS});
    }
}

} // namespace
