#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule bank_conflict;
const Rule bank_conflict{
    .name = "bank-conflict",
    .severity = Severity::note,
    .title = "Lanes of a warp hit the same bank of shared memory",
    .why = "",
    .remedy = "Pad or swizzle the layout.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
