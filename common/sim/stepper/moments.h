// Where in a recording a finding is.
#pragma once

#include <optional>
#include <vector>

#include "sim/report/finding.h"
#include "sim/stepper/recording.h"

namespace sim::stepper {

struct Moments {
    uint32_t step = none;    ///< the access with which it was found; without a conflict, the place that it names
    uint32_t other = none;   ///< the access before that nothing orders before it, if there is one
    uint32_t related = none; ///< without such an access, an earlier place that the finding names
};
/// none: not in this recording.
Moments moments(const Recording& recording, const hazards::Finding& finding);

/// The first error, or else the first warning; nullptr: there is none.
const hazards::Finding* worst(const std::vector<hazards::Finding>& findings);
/// The blocks that a finding is about.
struct Subject {
    uint64_t block = 0;
    std::optional<uint64_t> also; ///< of another thread that it names
};
/// nullopt: those of `finding` are all recorded.
std::optional<Subject> other_blocks(const Recording& recording, const hazards::Finding& finding);

} // namespace sim::stepper
