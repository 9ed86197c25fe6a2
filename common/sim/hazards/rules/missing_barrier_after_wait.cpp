#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule missing_barrier_after_wait;
const Rule missing_barrier_after_wait{
    .name = "missing-barrier-after-wait",
    .title = "A copy's issuer has waited, but the reader is not ordered after that wait",
    .why = "",
    .remedy = "Put a barrier between the wait and the first access by another thread.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
