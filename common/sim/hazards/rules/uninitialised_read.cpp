#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule uninitialised_read;
const Rule uninitialised_read{
    .name = "uninitialised-read",
    .title = "Memory is used that nothing has written",
    .why = "",
    .remedy = "Write (or copy) the bytes first; check sizes and the tail of the last tile.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
