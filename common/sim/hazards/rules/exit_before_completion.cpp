#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule exit_before_completion;
const Rule exit_before_completion{
    .name = "exit-before-completion",
    .title = "A thread ends while its bulk copy still uses the block's shared memory",
    .why = "",
    .remedy = "Wait for the bulk group (.read is enough) before the thread ends.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
