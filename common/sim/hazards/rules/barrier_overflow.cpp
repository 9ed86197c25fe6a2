#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule barrier_overflow;
const Rule barrier_overflow{
    .name = "barrier-overflow",
    .title = "More arrivals than the mbarrier expects",
    .why = "",
    .remedy = "Initialise the barrier with the number of arrivals of one phase.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
