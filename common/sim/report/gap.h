// Gaps: what was not judged. A run without findings is clean only if it has no gaps.
#pragma once

#include <string>
#include <vector>

namespace sim::hazards {

struct Gap {
    std::string what; ///< what was not judged, and why; a sentence without its end
    std::string next; ///< what to do about it; the same
    bool operator==(const Gap&) const = default;
};

/// Adds it unless it is there.
inline void add_once(std::vector<Gap>& gaps, Gap gap) {
    for (const Gap& known : gaps)
        if (known == gap)
            return;
    gaps.push_back(std::move(gap));
}

} // namespace sim::hazards
