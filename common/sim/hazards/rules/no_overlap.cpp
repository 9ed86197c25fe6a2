#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule no_overlap;
const Rule no_overlap{
    .name = "no-overlap",
    .severity = Severity::note,
    .title = "The wait follows the copy at once, so nothing overlaps",
    .why = "",
    .remedy = "Issue the next copy before computing on the current one.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
