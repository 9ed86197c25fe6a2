// In pairs: a pattern that must be named, and its nearest neighbour that must not.
#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include "check/guess.h"

namespace {

using namespace check;
using Values = std::vector<float>;

/// As check::random_values: 128 values, so that many are equal.
Values random_values(size_t count, unsigned values = 128) {
    std::mt19937 random(7);
    Values all(count);
    for (float& value : all)
        value = static_cast<float>(random() % values) - 64.0f;
    return all;
}

detail::Elements elements(const Values& values) {
    return {std::as_bytes(std::span(values)), sizeof(float), values.size(), {}};
}

std::string guess(const Values& got, const Values& expected, Shape shape = {}, const Values& before = {}) {
    if (!shape.columns)
        shape = {1, got.size()};
    shape.pitch = shape.pitch ? shape.pitch : shape.columns;
    const auto a = elements(got), b = elements(expected);
    const detail::Same same = [&](size_t i, size_t j) { return got[i] == expected[j]; };
    detail::Comparison c{a, b, same, shape, {}};
    for (size_t i = 0; i < got.size(); ++i)
        if (!same(i, i) && !c.is_padding(i))
            c.wrong.push_back(i);
    REQUIRE(!c.wrong.empty());
    return detail::guess(c, std::as_bytes(std::span(before)));
}

/// got[i] = expected[from(i)]; where that is nothing, -1000.
template <class From>
Values moved(const Values& expected, From from) {
    Values got(expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
        const size_t j = from(i);
        got[i] = j < expected.size() ? expected[j] : -1000.0f;
    }
    return got;
}

bool says(const std::string& text, const char* part) {
    CAPTURE(text);
    return text.find(part) != std::string::npos;
}

constexpr size_t none = SIZE_MAX;

} // namespace

TEST_CASE("unwritten memory, and memory of another pattern") {
    const Values right = random_values(256);
    float poison, other;
    std::memset(&poison, 0xDB, sizeof poison);
    std::memset(&other, 0xDA, sizeof other);
    CHECK(says(guess(Values(256, poison), right), "still hold 0xDB"));
    CHECK(guess(Values(256, other), right).empty());
}

TEST_CASE("one unwritten element") {
    Values got{1, 2, 3};
    std::memset(&got[1], 0xDB, sizeof(float));
    CHECK(says(guess(got, {1, 5, 3}), "It still holds 0xDB"));
    CHECK(guess({1, 2, 3}, {1, 5, 3}).empty());
}

TEST_CASE("what was there before, and what only looks so in every second element") {
    const Values right = random_values(256), before = random_values(512);
    const Values old(before.begin() + 256, before.end());
    Values half = old;
    for (size_t i = 0; i < half.size(); i += 2)
        half[i] = 99.0f + static_cast<float>(i);
    CHECK(says(guess(old, right, {}, old), "what they held before the call"));
    CHECK(guess(half, right, {}, old).empty());
}

TEST_CASE("zeros, and nearly zeros") {
    const Values right = random_values(256);
    CHECK(says(guess(Values(256, 0.0f), right), "all zero"));
    CHECK(guess(Values(256, 1e-30f), right).empty());
}

TEST_CASE("transposed, and turned by 90 degrees") {
    const Values right = random_values(64 * 64);
    CHECK(says(guess(moved(right, [](size_t i) { return i % 64 * 64 + i / 64; }), right, {64, 64}), "transposed"));
    CHECK(guess(moved(right, [](size_t i) { return (63 - i % 64) * 64 + i / 64; }), right, {64, 64}).empty());
}

TEST_CASE("transposed, of rows that are no columns: with one pitch or the other") {
    const size_t rows = 48, columns = 80;
    const Values right = random_values(rows * columns);
    const auto packed = moved(right, [&](size_t i) { return i % rows * columns + i / rows; });
    CHECK(says(guess(packed, right, {rows, columns}), "the result is transposed"));
    const auto same_pitch = moved(right, [&](size_t i) {
        const size_t row = i / columns, column = i % columns;
        return column < rows ? column * columns + row : i;
    });
    CHECK(says(guess(same_pitch, right, {rows, columns}), "the result is transposed"));
    const auto wrong_pitch = moved(right, [&](size_t i) { return i % (rows - 1) * columns + i / (rows - 1); });
    CHECK(guess(wrong_pitch, right, {rows, columns}).empty());
}

TEST_CASE("tiles transposed in themselves, and tiles that have changed places") {
    const Values right = random_values(64 * 96);
    const auto inside = moved(right, [](size_t i) {
        const size_t row = i / 96, column = i % 96;
        return (row - row % 32 + column % 32) * 96 + column - column % 32 + row % 32;
    });
    CHECK(says(guess(inside, right, {64, 96}), "Each tile of 32"));
    const auto places = moved(right, [](size_t i) {
        const size_t row = i / 96, column = i % 96, tile = row / 32 * 3 + column / 32, there = (tile * 5 + 2) % 6;
        return (there / 3 * 32 + row % 32) * 96 + there % 3 * 32 + column % 32;
    });
    CHECK_FALSE(says(guess(places, right, {64, 96}), "Each tile"));
}

TEST_CASE("a pattern of half the columns is not taken for one of all") {
    const Values right = random_values(64 * 96);
    const auto got = moved(right, [](size_t i) {
        const size_t row = i / 96, column = i % 96;
        return column % 2 ? none : (row - row % 32 + column % 32) * 96 + column - column % 32 + row % 32;
    });
    CHECK(guess(got, right, {64, 96}).empty());
}

TEST_CASE("the tile before, in a row of tiles; and that tile backwards") {
    const size_t tile = 256, count = 40 * tile;
    const Values right = random_values(count);
    const auto stale = moved(right, [](size_t i) { return i < tile ? none : i - tile; });
    CHECK(says(guess(stale, right), "256 elements earlier: stale data"));
    const auto backwards = moved(right, [](size_t i) { return i < tile ? none : i - i % tile - 1 - i % tile; });
    CHECK(guess(backwards, right).empty());
}

TEST_CASE("the tile that the same block of a large grid had before") {
    const size_t tile = 1024, blocks = 32, count = 4 * blocks * tile;
    Values right = random_values(count);
    // The first tile of each block is right.
    const auto stale = moved(right, [](size_t i) { return i < blocks * tile ? i : i - blocks * tile; });
    CHECK(says(guess(stale, right), "32768 elements earlier"));
}

TEST_CASE("a block's first tile in all its tiles, and in no order") {
    const size_t tile = 256, blocks = 8, count = 5 * blocks * tile;
    const Values right = random_values(count);
    const auto first = moved(right, [](size_t i) { return i % (blocks * tile); });
    CHECK(says(guess(first, right), "2048, or 4096, 6144 … elements earlier: an earlier tile"));
    const auto any = moved(right, [](size_t i) { return i < 8 * tile ? i : i / tile * 7 % 11 * 173 + i % tile; });
    CHECK(guess(any, right).empty());
}

TEST_CASE("the tile before, of a matrix; and any other tile") {
    const size_t rows = 64, columns = 96, height = 8, width = 32, across = columns / width;
    const Values right = random_values(rows * columns);
    const auto from_tile = [&](auto other) {
        return moved(right, [&](size_t i) {
            const size_t row = i / columns, column = i % columns, tile = row / height * across + column / width;
            const size_t there = other(tile);
            return there == none
                       ? none
                       : (there / across * height + row % height) * columns + there % across * width + column % width;
        });
    };
    const Shape shape{rows, columns};
    CHECK(says(guess(from_tile([](size_t tile) { return tile ? tile - 1 : none; }), right, shape),
               "1 tile of 8 × 32 earlier: stale data"));
    CHECK(says(guess(from_tile([](size_t tile) { return tile < 4 ? tile : tile - 4; }), right, shape),
               "4 tiles of 8 × 32 earlier"));
    CHECK(guess(from_tile([](size_t tile) { return tile * 7 % 24; }), right, shape).empty());
}

TEST_CASE("shifted by one, either way; and by a distance that grows") {
    const Values right = random_values(4096);
    CHECK(says(guess(moved(right, [](size_t i) { return i ? i - 1 : none; }), right), "off by 1"));
    CHECK(says(guess(moved(right, [](size_t i) { return i + 1; }), right), "1 element later"));
    CHECK(guess(moved(right, [](size_t i) { return i / 2; }), right).empty());
}

TEST_CASE("a few elements of few values: luck is no pattern") {
    const Values right = random_values(4096, 3);
    Values got = right;
    for (const size_t i : {100u, 900u, 1700u, 2500u})
        got[i] = right[i] + (right[i] > -63.0f ? -1.0f : 1.0f);
    CHECK(guess(got, right).empty());
    Values many = random_values(4096);
    for (size_t i = 4095; i >= 100; --i) // enough of them, and enough values
        many[i] = many[i - 1];
    CHECK(says(guess(many, random_values(4096)), "off by 1"));
}

TEST_CASE("noise") {
    const Values right = random_values(4096);
    Values got = right;
    for (size_t i = 0; i < got.size(); ++i)
        got[i] = 1000.0f + static_cast<float>(i * i % 977);
    CHECK(guess(got, right).empty());
    CHECK(guess(got, right, {64, 64}).empty());
}
