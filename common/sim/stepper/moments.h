// Where in a recording a finding is.
#pragma once

#include "sim/report/finding.h"
#include "sim/stepper/recording.h"

namespace sim::stepper {

struct Moments {
    uint32_t step = none;  ///< the access with which it was found; of what is no conflict, the place that it names
    uint32_t other = none; ///< the access before, if there is one
};
/// none: not in this recording.
Moments moments(const Recording& recording, const hazards::Finding& finding);

} // namespace sim::stepper
