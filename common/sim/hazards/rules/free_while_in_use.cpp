#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule free_while_in_use;
const Rule free_while_in_use{
    .name = "free-while-in-use",
    .title = "Memory is freed while queued work still uses it",
    .why = "",
    .remedy = "Synchronise first, or use cudaFreeAsync in the same stream.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
