#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule read_only_write;
const Rule read_only_write{
    .name = "read-only-write",
    .title = "A kernel writes constant or parameter memory",
    .why = "",
    .remedy = "Write to global or shared memory instead.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
