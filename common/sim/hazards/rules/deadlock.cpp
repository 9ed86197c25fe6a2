#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule deadlock;
const Rule deadlock{
    .name = "deadlock",
    .title = "Nothing can run any more",
    .why = "",
    .remedy = "Find who was to arrive at the barrier that is waited for.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
