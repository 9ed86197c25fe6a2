#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule refill_while_read;
const Rule refill_while_read{
    .name = "refill-while-read",
    .title = "A buffer is refilled by a copy while it may still be read",
    .why = "",
    .remedy = "Let every reader reach a barrier before the copy is issued.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
