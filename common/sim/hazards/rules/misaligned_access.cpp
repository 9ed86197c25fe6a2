#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule misaligned_access;
const Rule misaligned_access{
    .name = "misaligned-access",
    .title = "An address is not a multiple of the access size",
    .why = "",
    .remedy = "Align the address to the access size.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
