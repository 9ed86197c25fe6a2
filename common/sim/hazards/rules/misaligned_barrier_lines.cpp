#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule misaligned_barrier_lines;
const Rule misaligned_barrier_lines{
    .name = "misaligned-barrier-lines",
    .severity = Severity::note,
    .title = "Warps meet the same block barrier at different lines",
    .why = "",
    .remedy = "Use one barrier statement for all warps.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
