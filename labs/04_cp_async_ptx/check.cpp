#include <algorithm>

#include "check/check.h"

using check::sm_80, check::sm_90;

LAB(04_cp_async_ptx) = {
    .title = "cp.async in PTX",
    .concepts = {"cp.async", "cp-size", ".ca and .cg", "src-size", "ignore-src", "zero fill"},
    .minimum_sm = 80,
    .targets = {sm_80, sm_90},
    .needs = {{"", "everything arrives by cp.async"}},
    .through =
        "every output comes through cp.async: copies of the rows and of their scales, read in shared memory where "
        "they land",
};

namespace {

constexpr int TILE = 512;

struct Scale {
    uint32_t gain, bias;
};

/// Rows with these lengths, in a matrix that ends with its last sample.
void check_rows(const std::vector<int>& lengths, int width) {
    const int rows = static_cast<int>(lengths.size());
    const size_t end = rows == 0 ? 0 : size_t(rows - 1) * width + lengths.back();
    const auto in = check::random<uint32_t>(end);
    const auto numbers = check::random_values<uint32_t>(2 * rows);
    std::vector<Scale> scales(rows);
    std::vector<uint32_t> expected(size_t(rows) * width);
    for (int r = 0; r < rows; ++r) {
        scales[r] = {numbers[2 * r], numbers[2 * r + 1]};
        auto x = [&](int c) { return c < 0 || c >= lengths[r] ? 0 : in[size_t(r) * width + c]; };
        for (int c = 0; c < width; ++c)
            expected[size_t(r) * width + c] = scales[r].gain * (x(c - 1) + 2 * x(c) + x(c + 1)) + scales[r].bias;
    }
    const auto out = check::output<uint32_t>(expected.size());
    const auto scale = check::device(scales);
    check::follow(check::ranges(in, scale), check::ranges(out));
    check::call(in, check::device(lengths), scale, out, rows, width);
    check::equal(out, expected, {.rows = size_t(rows), .columns = size_t(width)});
    check::unchanged(in);
    check::brought_by_copies(in, scale);
}

std::vector<int> random_lengths(int rows, int width) {
    std::vector<int> lengths(rows);
    for (int& length : lengths)
        length = static_cast<int>(check::random_between(0, width));
    return lengths;
}

LAB_CASE("full rows", 2) {
    check_rows(std::vector<int>(3, TILE), TILE);
}

LAB_CASE("one sample", 1) {
    check_rows({1}, 4);
}

LAB_CASE("rows without samples", 1) {
    check_rows({0, 5, 0}, 8);
    check_rows({0}, 4);
}

LAB_CASE("no rows", 1) {
    check_rows({}, 16);
}

LAB_CASE("every remainder", 3) {
    std::vector<int> lengths;
    for (int length = 0; length <= 9; ++length)
        lengths.push_back(length);
    check_rows(lengths, 12);
}

LAB_CASE("rows longer than a tile", 3) {
    check_rows({2 * TILE + 8, TILE, TILE + 1, TILE - 1, 2 * TILE + 7, 3}, 2 * TILE + 8);
}

LAB_CASE("many ragged rows", 3) {
    // A block stages several tiles in the same buffer, which still holds an earlier row.
    check_rows(random_lengths(90, 700), 700);
}

LAB_CASE("everything arrives by cp.async", 3) {
    constexpr int ROWS = 40;
    check_rows(std::vector<int>(ROWS, TILE), TILE);
    check::that(check::stats().cp_async_bytes >= ROWS * (TILE * sizeof(uint32_t) + sizeof(Scale)),
                "cp.async moves all samples and scales to shared memory");
    check::that(check::stats().staged_bytes == 0, "no input is staged through registers");
}

} // namespace
