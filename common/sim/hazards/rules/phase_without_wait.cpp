#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule phase_without_wait;
const Rule phase_without_wait{
    .name = "phase-without-wait",
    .severity = Severity::note,
    .title = "A phase passed without a wait before the next one's arrivals",
    .why = "",
    .remedy = "Wait on each phase at least once.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
