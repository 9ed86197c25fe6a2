#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule misaligned_copy;
const Rule misaligned_copy{
    .name = "misaligned-copy",
    .title = "A copy's address or size is not aligned as its instruction needs",
    .why = "",
    .remedy = "Align source, destination and size, or use a smaller copy size.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
