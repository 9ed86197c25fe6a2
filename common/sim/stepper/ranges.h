// Lists of byte ranges.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/stepper/recording.h"

namespace sim::stepper {

/// Sorted, and ranges that touch are one.
inline void unite(std::vector<Range>& ranges) {
    std::ranges::sort(ranges, {}, &Range::begin);
    size_t kept = 0;
    for (const Range& range : ranges)
        if (kept && range.begin <= ranges[kept - 1].end)
            ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
        else
            ranges[kept++] = range;
    ranges.resize(kept);
}

inline bool covers(const std::vector<Range>& ranges, uint64_t byte) {
    return std::ranges::any_of(ranges, [&](const Range& range) { return range.begin <= byte && byte < range.end; });
}

} // namespace sim::stepper
