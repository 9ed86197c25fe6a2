#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule divergent_barrier;
const Rule divergent_barrier{
    .name = "divergent-barrier",
    .title = "Lanes of one warp disagree about a block barrier",
    .why = "",
    .remedy = "Let all threads of the warp reach the same barrier: move it out of the branch.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
