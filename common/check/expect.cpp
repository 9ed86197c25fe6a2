#include "check/expect.h"

#include <fmt/format.h>

#include "check/session.h"
#include "check/verdict.h"

namespace check {

void that(bool condition, std::string_view mechanism) {
    if (!condition && !Session::current().on_gpu()) // which has no counters to see it by
        throw Failed{Verdict::mechanism, "expected: " + std::string(mechanism)};
}

namespace detail {
namespace {

struct Comparison {
    const Elements& got;
    const Elements& expected;
    const Same& same;
    Shape shape;
    std::vector<size_t> wrong; // indices, ascending

    size_t count() const { return got.count; }
    bool is_padding(size_t i) const { return i % shape.pitch >= shape.columns; }
    bool may_be_written(size_t i) const {
        return i % shape.pitch < (shape.columns + shape.unit - 1) / shape.unit * shape.unit;
    }
    std::string where(size_t i) const {
        return shape.rows > 1 ? fmt::format("row {}, column {}", i / shape.pitch, i % shape.pitch)
                              : fmt::format("[{}]", i);
    }
};

bool all_bytes(const Elements& elements, size_t i, std::byte value) {
    const auto bytes = elements.bytes.subspan(i * elements.size, elements.size);
    return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == value; });
}

// A few of the wrong elements, spread over all of them.
std::vector<size_t> sample(const std::vector<size_t>& wrong) {
    std::vector<size_t> some;
    const size_t step = std::max<size_t>(1, wrong.size() / 64);
    for (size_t i = 0; i < wrong.size(); i += step)
        some.push_back(wrong[i]);
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

// What the wrong values look like; empty if like nothing in particular.
std::string guess(const Comparison& c, const Memory& memory, size_t first) {
    const auto some = sample(c.wrong);
    const std::string all = c.wrong.size() == 1 ? "It" : "The wrong elements";
    const std::string verb = c.wrong.size() == 1 ? "s" : "";
    if (mostly(some, [&](size_t i) { return all_bytes(c.got, i, std::byte{0xDB}); }))
        return fmt::format("{} still hold{} 0xDB, the pattern of memory that nobody has written.", all, verb);
    const size_t size = c.got.size;
    if (memory.initial.size() >= (first + c.count()) * size && mostly(some, [&](size_t i) {
            return std::memcmp(&c.got.bytes[i * size], &memory.initial[(first + i) * size], size) == 0;
        }))
        return fmt::format("{} still hold{} what {} before the call.", all, verb,
                           c.wrong.size() == 1 ? "it held" : "they held");
    if (mostly(some, [&](size_t i) { return all_bytes(c.got, i, std::byte{0}); }))
        return fmt::format("{} zero, as where a copy filled with zeros or memory was cleared.",
                           c.wrong.size() == 1 ? "It is" : "The wrong elements are all");
    if (some.size() < 3)
        return {};
    const size_t rows = c.shape.rows, columns = c.shape.columns, pitch = c.shape.pitch;
    if (rows > 1 && mostly(some, [&](size_t i) {
            const size_t row = i / pitch, column = i % pitch;
            return column < rows && row < columns && c.same(i, column * pitch + row);
        }))
        return "They hold what belongs at [column][row]: the result is transposed.";
    for (const size_t tile : {8, 16, 32, 64})
        if (rows > 1 && mostly(some, [&](size_t i) {
                const size_t row = i / pitch, column = i % pitch;
                const size_t there = row - row % tile + column % tile, across = column - column % tile + row % tile;
                return there < rows && across < columns && c.same(i, there * pitch + across);
            }))
            return fmt::format(
                "Inside of each tile of {0} × {0} rows and columns are exchanged: the tiles lie where they "
                "belong, transposed or not transposed in themselves.",
                tile);
    const auto longest = static_cast<int64_t>(std::min<size_t>(c.count(), 16384));
    for (int64_t distance = 1; distance < longest; ++distance)
        for (const int64_t shift : {distance, -distance}) {
            const auto holds = [&](size_t i) {
                const int64_t j = static_cast<int64_t>(i) - shift;
                return j >= 0 && j < static_cast<int64_t>(c.count()) && c.same(i, static_cast<size_t>(j));
            };
            if (mostly(some, holds))
                return shift > 0
                           ? fmt::format("They hold what belongs {} elements earlier: stale data of an earlier "
                                         "tile or stage, or an index that is off by {}.",
                                         shift, shift)
                           : fmt::format("They hold what belongs {} elements later: data of a later tile came too "
                                         "early, or an index is off by {}.",
                                         -shift, -shift);
        }
    return {};
}

std::string spread(const Comparison& c) {
    const size_t compared = c.shape.rows * c.shape.columns;
    if (c.wrong.size() == compared)
        return fmt::format("all {} elements are wrong", compared);
    if (c.wrong.size() == 1)
        return fmt::format("1 of {} elements is wrong", compared);
    std::string text = fmt::format("{} of {} elements are wrong, from {} to {}", c.wrong.size(), compared,
                                   c.where(c.wrong.front()), c.where(c.wrong.back()));
    if (c.wrong.back() - c.wrong.front() + 1 == c.wrong.size())
        return text + ", without a gap";
    if (c.wrong.size() > 2) {
        const size_t step = c.wrong[1] - c.wrong[0];
        bool regular = true;
        for (size_t i = 1; i < c.wrong.size() && regular; ++i)
            regular = c.wrong[i] - c.wrong[i - 1] == step;
        if (regular)
            return text + fmt::format(", each {} apart", step);
    }
    return text;
}

} // namespace

void compare(const Elements& got, const Elements& expected, const Same& same, const Memory& memory, size_t first,
             Shape shape) {
    if (shape.columns == 0)
        shape = {1, got.count, got.count};
    if (shape.pitch == 0)
        shape.pitch = shape.columns;
    shape.pitch = std::max<size_t>(shape.pitch, 1);
    if (got.count != expected.count)
        throw Failed{Verdict::internal,
                     fmt::format("check.cpp expects {} elements in a buffer of {}", expected.count, got.count)};
    Comparison c{got, expected, same, shape, {}};
    const size_t size = got.size;
    size_t padding_written = got.count, unwritten = got.count;
    Session& session = Session::current();
    const bool on_device = memory.place == Place::device;
    for (size_t i = 0; i < got.count; ++i) {
        if (!c.is_padding(i)) {
            if (!same(i, i))
                c.wrong.push_back(i);
        } else if (padding_written == got.count && on_device && !c.may_be_written(i) &&
                   std::memcmp(&got.bytes[i * size], &memory.initial[(first + i) * size], size) != 0) {
            padding_written = i;
        }
    }
    if (!c.wrong.empty()) {
        const size_t i = c.wrong.front();
        std::string pattern = guess(c, memory, first);
        if (const uint32_t span = stats().max_swizzle_span)
            pattern += fmt::format(
                "{}Tiles of this call went through a map that swizzles ({} bytes): in shared memory the 16-byte pieces "
                "of a row do not lie in their order. The piece at address a lies at a ^ (a >> 3 & {:#x}).",
                pattern.empty() ? "" : "\n", span, span - 16);
        throw Failed{Verdict::wrong, fmt::format("{} is {}, expected {}; {}.{}", c.where(i), got.text(i),
                                                 expected.text(i), spread(c), pattern.empty() ? "" : "\n" + pattern)};
    }
    if (padding_written < got.count)
        throw Failed{Verdict::wrong, fmt::format("the padding at {} was written", c.where(padding_written))};
    if (!on_device)
        return;
    for (size_t row = 0; row < shape.rows && unwritten == got.count; ++row)
        if (!session.written_by_kernel(memory.address + (first + row * shape.pitch) * size, shape.columns * size))
            unwritten = row * shape.pitch;
    if (unwritten < got.count)
        throw Failed{Verdict::wrong, "the values are right, but not every one of them was written by a kernel of this "
                                     "call: results have to be computed on the device"};
}

void unchanged(const Elements& got, const Elements& before) {
    for (size_t i = 0; i < got.count; ++i)
        if (std::memcmp(&got.bytes[i * got.size], &before.bytes[i * got.size], got.size) != 0)
            throw Failed{Verdict::wrong,
                         fmt::format("memory that must stay as it is was changed: [{}] was {} and is {}", i,
                                     before.text(i), got.text(i))};
}

std::string text_of(double value) {
    return fmt::format("{:.9g}", value);
}
std::string text_of(uint64_t bits, size_t bytes) {
    return fmt::format("0x{:0{}x}", bits, 2 * std::min<size_t>(bytes, 8));
}

} // namespace detail
} // namespace check
