#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule scope_too_narrow;
const Rule scope_too_narrow{
    .name = "scope-too-narrow",
    .severity = Severity::note,
    .title = "An operation's scope does not include the thread it synchronises with",
    .why = "",
    .remedy = "Use .gpu (or .cluster) scope.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
