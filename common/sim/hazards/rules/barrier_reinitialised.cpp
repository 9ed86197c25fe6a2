#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule barrier_reinitialised;
const Rule barrier_reinitialised{
    .name = "barrier-reinitialised",
    .title = "A live mbarrier is initialised again or overwritten",
    .why = "",
    .remedy = "Invalidate it first (mbarrier.inval), when nobody waits on it.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
