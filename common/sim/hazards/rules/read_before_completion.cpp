#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule read_before_completion;
const Rule read_before_completion{
    .name = "read-before-completion",
    .title = "Bytes are read while an asynchronous copy is still writing them",
    .why = "",
    .remedy = "Let the wait cover the group that is read: a smaller N, or (empty) groups committed after it.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
