#include "check/guess.h"

#include <random>

#include <fmt/format.h>

namespace check::detail {

std::string Comparison::where(size_t i) const {
    return shape.rows > 1 ? fmt::format("row {}, column {}", i / shape.pitch, i % shape.pitch) : fmt::format("[{}]", i);
}

namespace {

bool all_bytes(const Elements& elements, size_t i, std::byte value) {
    const auto bytes = elements.bytes.subspan(i * elements.size, elements.size);
    return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == value; });
}

// A few of the wrong elements, spread over all of them; not at equal distances, which may be those of rows or tiles.
std::vector<size_t> sample(const std::vector<size_t>& wrong) {
    std::vector<size_t> some;
    std::mt19937 random; // always with the same seed
    const size_t step = std::max<size_t>(1, wrong.size() / 64);
    for (size_t i = 0; i + step <= wrong.size(); i += step)
        some.push_back(wrong[i + random() % step]);
    return some;
}

template <class Predicate>
bool mostly(const std::vector<size_t>& some, Predicate holds) {
    size_t misses = 0;
    for (const size_t i : some)
        if (!holds(i) && ++misses * 10 > some.size())
            return false;
    return true;
}

/// Do the sampled elements hold what belongs elsewhere?
class Elsewhere {
  public:
    explicit Elsewhere(const Comparison& c)
        : c_(c), rows_(c.shape.rows), columns_(c.shape.columns), pitch_(c.shape.pitch), some_(sample(c.wrong)) {
        constexpr size_t probes = 256;
        size_t hits = 1;
        std::mt19937 random;
        for (size_t k = 0; k < probes; ++k)
            hits += c.same(some_[k % some_.size()], random() % c.count());
        chance_ = std::pow(double(hits) / (probes + 1), 0.9 * double(some_.size()));
    }

    std::string text() const {
        for (const auto look : {&Elsewhere::transposed, &Elsewhere::tiles_transposed, &Elsewhere::shifted,
                                &Elsewhere::earlier_tile, &Elsewhere::not_refilled})
            if (std::string found = (this->*look)(); !found.empty())
                return found;
        return {};
    }

  private:
    /// With so many patterns to try, a few elements with few distinct values fit one of them by chance.
    bool luck(double ways) const { return some_.size() < 3 || chance_ * ways > 1e-3; }

    template <class From> // row and column -> index of the value that is there instead
    bool moved(From from) const {
        return mostly(some_, [&](size_t i) {
            const auto [row, column] = from(i / pitch_, i % pitch_);
            return row < rows_ && column < columns_ && c_.same(i, row * pitch_ + column);
        });
    }

    std::string transposed() const {
        if (rows_ < 2 || luck(2))
            return {};
        using Index = std::pair<size_t, size_t>;
        const bool fits = moved([](size_t row, size_t column) {
                              return Index{column, row};
                          }) ||
                          // written with the pitch of the matrix that it should have become
                          (pitch_ == columns_ && moved([&](size_t row, size_t column) {
                               const size_t i = row * columns_ + column;
                               return Index{i % rows_, i / rows_};
                           }));
        return fits ? "They hold what belongs at [column][row]: the result is transposed." : "";
    }

    std::string tiles_transposed() const {
        using Index = std::pair<size_t, size_t>;
        if (rows_ < 2 || luck(4))
            return {};
        for (const size_t tile : {8, 16, 32, 64})
            if (moved([&](size_t row, size_t column) {
                    return Index{row - row % tile + column % tile, column - column % tile + row % tile};
                }))
                return fmt::format(
                    "Each tile of {0} × {0} is in the right place, but the rows and columns inside it are exchanged: "
                    "either a tile was transposed that should not be, or the reverse.",
                    tile);
        return {};
    }

    std::string shifted() const {
        const auto longest = static_cast<int64_t>(std::min<size_t>(c_.count(), 1 << 20));
        if (luck(2 * static_cast<double>(longest)))
            return {};
        for (int64_t distance = 1; distance < longest; ++distance)
            for (const int64_t shift : {distance, -distance})
                if (mostly(some_, [&](size_t i) {
                        const int64_t j = static_cast<int64_t>(i) - shift;
                        return j >= 0 && j < static_cast<int64_t>(c_.count()) && c_.same(i, static_cast<size_t>(j));
                    }))
                    return shift > 0
                               ? fmt::format("They hold what belongs {0} element{1} earlier: stale data of an earlier "
                                             "tile or stage, or an index that is off by {0}.",
                                             distance, distance == 1 ? "" : "s")
                               : fmt::format(
                                     "They hold what belongs {0} element{1} later: data of a later tile came too "
                                     "early, or an index is off by {0}.",
                                     distance, distance == 1 ? "" : "s");
        return {};
    }

    // Tiles in the order of rows: the one before the first of a row is the last of the row above.
    std::string earlier_tile() const {
        using Index = std::pair<size_t, size_t>;
        constexpr size_t largest = 256, furthest = 64;
        if (rows_ < 2 || luck(8 * 7 * furthest))
            return {};
        for (size_t back = 1; back <= furthest; ++back)
            for (size_t height = 2; height <= largest; height *= 2)
                for (size_t width = 4; width <= largest && width < columns_; width *= 2) {
                    const size_t across = (columns_ + width - 1) / width;
                    if (moved([&](size_t row, size_t column) {
                            const size_t tile = row / height * across + column / width;
                            return tile < back ? Index{rows_, 0}
                                               : Index{(tile - back) / across * height + row % height,
                                                       (tile - back) % across * width + column % width};
                        }))
                        return fmt::format("They hold what belongs {} tile{} of {} × {} earlier: stale data of an "
                                           "earlier tile or stage.",
                                           back, back == 1 ? "" : "s", height, width);
                }
        return {};
    }

    // A block's tiles are a grid apart: the second holds the first, the third holds it, too …
    std::string not_refilled() const {
        constexpr size_t tiles = 8;
        const size_t longest = std::min<size_t>(c_.count(), 1 << 18);
        if (luck(double(longest) * std::pow(double(tiles), 0.9 * double(some_.size()))))
            return {};
        for (size_t distance = longest; distance-- > 1;) // the greatest one: a half of it would fit, too
            if (mostly(some_, [&](size_t i) {
                    for (size_t m = 1; m <= tiles && m * distance <= i; ++m)
                        if (c_.same(i, i - m * distance))
                            return true;
                    return false;
                }))
                return fmt::format("They hold what belongs {0}, or {1}, {2} … elements earlier: an earlier tile, whose "
                                   "buffer was not filled again.",
                                   distance, 2 * distance, 3 * distance);
        return {};
    }

    const Comparison& c_;
    size_t rows_, columns_, pitch_;
    std::vector<size_t> some_;
    double chance_ = 1; ///< that the sampled elements fit one place elsewhere by luck
};

} // namespace

std::string guess(const Comparison& c, std::span<const std::byte> before) {
    const auto some = sample(c.wrong);
    const bool one = c.wrong.size() == 1;
    const std::string all = one ? "It" : "The wrong elements", verb = one ? "s" : "";
    const size_t size = c.got.size;
    if (mostly(some, [&](size_t i) { return all_bytes(c.got, i, std::byte{0xDB}); }))
        return fmt::format("{} still hold{} 0xDB, the pattern of memory that nothing has written.", all, verb);
    if (!before.empty() &&
        mostly(some, [&](size_t i) { return std::memcmp(&c.got.bytes[i * size], &before[i * size], size) == 0; }))
        return fmt::format("{} still hold{} what {} before the call.", all, verb, one ? "it held" : "they held");
    if (mostly(some, [&](size_t i) { return all_bytes(c.got, i, std::byte{0}); }))
        return fmt::format("{} zero, as where a copy filled with zeros or memory was cleared.",
                           one ? "It is" : "The wrong elements are all");
    return Elsewhere(c).text();
}

} // namespace check::detail
