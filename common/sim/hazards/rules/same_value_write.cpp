#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule same_value_write;
const Rule same_value_write{
    .name = "same-value-write",
    .severity = Severity::note,
    .title = "Several threads store the same value without order",
    .why = "",
    .remedy = "Let one thread store it.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
