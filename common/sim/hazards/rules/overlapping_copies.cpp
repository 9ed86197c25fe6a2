#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule overlapping_copies;
const Rule overlapping_copies{
    .name = "overlapping-copies",
    .title = "Two copies in flight write the same bytes",
    .why = "",
    .remedy = "Give each copy its own destination, or wait between them.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
