#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule runaway_loop;
const Rule runaway_loop{
    .name = "runaway-loop",
    .title = "The kernel does not come to an end",
    .why = "",
    .remedy = "Look at the condition of the loop that is running.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
