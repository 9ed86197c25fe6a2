// Where in a recording a finding is.
#pragma once

#include <optional>
#include <vector>

#include "sim/report/finding.h"
#include "sim/stepper/recording.h"

namespace sim::stepper {

struct Moments {
    uint32_t step = none;  ///< the access with which it was found; without a conflict, the place that it names
    uint32_t other = none; ///< the access before, if there is one
};
/// none: not in this recording.
Moments moments(const Recording& recording, const hazards::Finding& finding);

/// The first error, or else the first warning; nullptr: there is none.
const hazards::Finding* worst(const std::vector<hazards::Finding>& findings);
/// The block in which `finding` was seen, if it is none of those recorded.
std::optional<uint64_t> other_block(const Recording& recording, const hazards::Finding& finding);

} // namespace sim::stepper
