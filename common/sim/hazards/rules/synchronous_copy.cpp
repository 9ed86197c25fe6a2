#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule synchronous_copy;
const Rule synchronous_copy{
    .name = "synchronous-copy",
    .severity = Severity::note,
    .title = "A copy that looks asynchronous was compiled to a synchronous one",
    .why = "",
    .remedy = "Tell the compiler the alignment (cuda::aligned_size_t), and copy from global to shared memory.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
