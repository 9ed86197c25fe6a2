#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule uncommitted_copy;
const Rule uncommitted_copy{
    .name = "uncommitted-copy",
    .title = "A wait does not cover a copy that was not committed",
    .why = "",
    .remedy = "Commit between the copies and the wait.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
