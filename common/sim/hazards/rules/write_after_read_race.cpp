#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule write_after_read_race;
const Rule write_after_read_race{
    .name = "write-after-read-race",
    .title = "A write is not ordered after a read of the same bytes",
    .why = "",
    .remedy = "Put a barrier between the last read and the write.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
