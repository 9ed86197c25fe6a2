#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule early_phase;
const Rule early_phase{
    .name = "early-phase",
    .title = "A phase completes before everything it stands for",
    .why = "",
    .remedy = "Count every arrival and every byte that the phase waits for.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
