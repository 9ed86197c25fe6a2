#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule host_write_before_sync;
const Rule host_write_before_sync{
    .name = "host-write-before-sync",
    .title = "The host changes memory that a pending copy still uses",
    .why = "",
    .remedy = "Synchronise before re-using the buffer.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
