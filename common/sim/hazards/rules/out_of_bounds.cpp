#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule out_of_bounds;
const Rule out_of_bounds{
    .name = "out-of-bounds",
    .title = "An access lies outside its memory",
    .why = "",
    .remedy = "Check the index against the size, also for the last, partial tile.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
