#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule read_after_write_race;
const Rule read_after_write_race{
    .name = "read-after-write-race",
    .title = "A read is not ordered after the write whose value it needs",
    .why = "",
    .remedy = "Put a barrier between the write and the read.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
