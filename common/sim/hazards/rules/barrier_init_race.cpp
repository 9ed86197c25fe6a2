#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule barrier_init_race;
const Rule barrier_init_race{
    .name = "barrier-init-race",
    .title = "An mbarrier is used without synchronisation after its initialisation",
    .why = "",
    .remedy = "Put __syncthreads() between the initialisation and the first use.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
