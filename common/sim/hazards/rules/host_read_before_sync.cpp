#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule host_read_before_sync;
const Rule host_read_before_sync{
    .name = "host-read-before-sync",
    .title = "The host reads a result before the copy that brings it is complete",
    .why = "",
    .remedy = "Synchronise the stream or an event recorded after the copy.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
