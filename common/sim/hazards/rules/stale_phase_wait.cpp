#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule stale_phase_wait;
const Rule stale_phase_wait{
    .name = "stale-phase-wait",
    .title = "A wait names a phase older than the preceding one",
    .why = "",
    .remedy = "Keep the token of the current phase, and wait for each phase before the next but one begins.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
