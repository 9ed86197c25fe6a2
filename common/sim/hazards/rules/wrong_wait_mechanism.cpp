#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule wrong_wait_mechanism;
const Rule wrong_wait_mechanism{
    .name = "wrong-wait-mechanism",
    .title = "The wait does not track this copy",
    .why = "",
    .remedy = "Wait on the mechanism that the copy completes on.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
