// What the model says of a recorded block, in a few numbers.
#pragma once

#include <optional>

#include "sim/timeline/bound.h"

namespace sim::timeline {

struct Estimate {
    uint64_t cycles = 0, awaited = 0; ///< as the kernel is; with each copy awaited where it is issued
    Bound bound;
};

/// Nothing where a speed would say nothing: no asynchronous copies, or a kernel that does not end.
std::optional<Estimate> estimate(const Recording& recording, const Model& model = {});

} // namespace sim::timeline
