#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule barrier_uninitialised;
const Rule barrier_uninitialised{
    .name = "barrier-uninitialised",
    .title = "An mbarrier is used before mbarrier.init",
    .why = "",
    .remedy = "Initialise it once, by one thread, and synchronise before its first use.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
