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

/// In a sentence for the reader, what pattern nearly all of the wrong elements follow; empty if none, or if chance may
/// have made it. `before`: what the memory held before the call; empty if that is not known.
std::string guess(const Comparison& comparison, std::span<const std::byte> before);

} // namespace check::detail
