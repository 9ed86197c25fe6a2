#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule source_size_exceeds_copy;
const Rule source_size_exceeds_copy{
    .name = "source-size-exceeds-copy",
    .title = "src-size is larger than the copy",
    .why = "",
    .remedy = "Clamp src-size to the copy's size.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
