#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule stream_race;
const Rule stream_race{
    .name = "stream-race",
    .title = "Work of different streams touches the same bytes without order",
    .why = "",
    .remedy = "Order the streams with an event.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
