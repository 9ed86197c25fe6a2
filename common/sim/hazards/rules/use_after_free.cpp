#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule use_after_free;
const Rule use_after_free{
    .name = "use-after-free",
    .title = "A kernel uses memory that has been freed",
    .why = "",
    .remedy = "Free memory only after the work that uses it is complete.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
