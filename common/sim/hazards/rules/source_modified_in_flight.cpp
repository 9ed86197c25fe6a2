#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule source_modified_in_flight;
const Rule source_modified_in_flight{
    .name = "source-modified-in-flight",
    .title = "The source of a copy changes before the copy is complete",
    .why = "",
    .remedy = "Wait for the copy before changing its source.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
