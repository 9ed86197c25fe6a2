#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule write_after_write_race;
const Rule write_after_write_race{
    .name = "write-after-write-race",
    .title = "Two writes to the same bytes are not ordered",
    .why = "",
    .remedy = "Order the two writes, or let one thread write.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
