#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule missing_wait;
const Rule missing_wait{
    .name = "missing-wait",
    .title = "Bytes of an asynchronous copy are used, and nobody waited for it",
    .why = "",
    .remedy = "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior, the mbarrier phase) before using what it brings.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
