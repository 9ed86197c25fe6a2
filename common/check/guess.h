// What wrong results look like.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/expect.h"

namespace check::detail {

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
    std::string where(size_t i) const;
};

/// Describes for the reader the pattern that nearly all of the wrong elements follow; empty if there is none, or if it
/// may be chance. `before`: the memory's contents before the call; empty if they are not known.
std::string guess(const Comparison& comparison, std::span<const std::byte> before);

} // namespace check::detail
