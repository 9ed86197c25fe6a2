#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule write_before_completion;
const Rule write_before_completion{
    .name = "write-before-completion",
    .title = "Bytes are written while an asynchronous copy is still writing them",
    .why = "",
    .remedy = "Wait for the copy first.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
